// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "operations.hpp"

#include <algorithm>

#include "kernels/adamw.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/attention/rope.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/gelu.hpp"
#include "kernels/gradient_norm.hpp"
#include "kernels/linear.hpp"
#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "kernels/residual.hpp"
#include "kernels/swiglu.hpp"

namespace ddproxy::bench {
namespace {

using kernels::Space;

kernels::Floats array(char const* label, Index count) {
  kernels::Floats values(std::string(label), static_cast<std::size_t>(count));
  Kokkos::deep_copy(values, 0.01F);
  return values;
}

std::vector<int> spread_tokens(Index count) {
  std::vector<int> tokens(static_cast<std::size_t>(count));
  for (std::size_t n = 0; n < tokens.size(); ++n) tokens[n] = static_cast<int>(n * 7919 % vocabulary);
  return tokens;
}

kernels::AttentionSize attention_size(Arrays const& a) {
  return {1, a.tokens, heads, d_model / heads};
}

kernels::Floats rotation_table(Index tokens) {
  constexpr double theta = 10000;
  const kernels::Floats table = array("rotations", kernels::rope_table_elements(tokens, d_model / heads));
  kernels::rope_table({}, tokens, d_model / heads, theta, table.data());
  return table;
}

kernels::RowStatistics statistics(Arrays const& a) {
  return {a.statistics.data(), a.statistics.data() + a.tokens};
}

Index scratch_elements(Index tokens) {
  const Index threads = Space().concurrency();
  return std::max({kernels::attention_scratch(threads, {1, tokens, heads, d_model / heads}),
                   kernels::layernorm_scratch(threads, d_model), kernels::sum_of_squares_scratch(threads),
                   kernels::linear_scratch(threads, {tokens, 0, d_ff})});
}

}  // namespace

Arrays::Arrays(Index n)
    : tokens(n),
      wide_in(array("wide in", n * vocabulary)),
      wide_out(array("wide out", n * vocabulary)),
      in(array("in", n * d_ff)),
      out(array("out", n * d_ff)),
      weight(array("weight", vocabulary * d_model)),
      gradient(array("gradient", vocabulary * d_model)),
      bias(array("bias", d_ff)),
      statistics(array("statistics", 3 * n * heads)),
      optimized(array("optimized", 3 * parameters)),
      rotations(rotation_table(n)),
      scratch(array("scratch", scratch_elements(n))),
      ids(kernels::copy_tokens("tokens", spread_tokens(n))),
      groups(kernels::group_tokens(spread_tokens(n))) {}

void run_linear(Space const& exec, Arrays const& a, Operation const& op) {
  const kernels::LinearSize size{a.tokens, op.in, op.out};
  if (op.direction == Direction::forward)
    kernels::linear_forward(exec, size, a.in.data(), a.weight.data(), a.bias.data(), a.wide_out.data());
  else
    kernels::linear_backward(exec, size, a.in.data(), a.weight.data(), a.wide_in.data(),
                             {a.bias.data(), a.gradient.data(), a.out.data()}, a.scratch.data());
}

void run_head(Space const& exec, Arrays const& a, Operation const& op) {
  const kernels::LinearSize size{a.tokens, op.in, op.out};
  if (op.direction == Direction::forward)
    kernels::head_forward(exec, size, a.in.data(), a.weight.data(), a.wide_out.data());
  else
    kernels::head_backward(exec, size, a.in.data(), a.weight.data(), a.wide_in.data(), a.gradient.data(),
                           a.out.data());
}

void run_attention(Space const& exec, Arrays const& a, Operation const& op) {
  float* const log_sum = a.statistics.data();
  const kernels::AttentionSize size = attention_size(a);
  const kernels::ConstQkv qkv = kernels::as_const(kernels::packed_qkv(size, a.wide_in.data()));
  if (op.direction == Direction::forward)
    kernels::attention_forward(exec, size, qkv, a.out.data(), log_sum, a.scratch.data());
  else
    kernels::attention_backward(exec, size, {qkv, a.out.data(), log_sum}, a.in.data(),
                                kernels::packed_qkv(size, a.wide_out.data()), a.scratch.data());
}

void run_layernorm(Space const& exec, Arrays const& a, Operation const& op) {
  if (op.direction == Direction::forward)
    kernels::layernorm_forward(exec, a.tokens, d_model, a.in.data(), a.weight.data(), a.bias.data(),
                               a.out.data(), statistics(a));
  else
    kernels::layernorm_backward(exec, a.tokens, d_model, a.in.data(), statistics(a), a.weight.data(),
                                a.wide_in.data(), {a.gradient.data(), a.bias.data(), a.out.data()},
                                a.scratch.data());
}

void run_gelu(Space const& exec, Arrays const& a, Operation const& op) {
  if (op.direction == Direction::forward)
    kernels::gelu_forward(exec, a.tokens * d_ff, a.in.data(), a.out.data());
  else
    kernels::gelu_backward(exec, a.tokens * d_ff, a.in.data(), a.wide_in.data(), a.out.data());
}

void run_residual(Space const& exec, Arrays const& a, Operation const& op) {
  if (op.direction == Direction::forward)
    kernels::residual_forward(exec, a.tokens * d_model, a.in.data(), a.wide_in.data(), a.out.data());
  else
    kernels::residual_backward(exec, a.tokens * d_model, a.in.data(), a.out.data());
}

void run_cross_entropy(Space const& exec, Arrays const& a, Operation const& op) {
  float* const log_sum = a.statistics.data();
  if (op.direction == Direction::forward)
    kernels::cross_entropy_forward(exec, a.tokens, vocabulary, a.wide_in.data(), a.ids.data(), log_sum,
                                   log_sum + a.tokens);
  else
    kernels::cross_entropy_backward(exec, a.tokens, vocabulary, a.wide_in.data(), log_sum, a.ids.data(), 1,
                                    a.wide_out.data());
}

void run_positions(Space const& exec, Arrays const& a, Operation const& op) {
  const kernels::EmbeddingSize size{1, a.tokens, d_model};
  if (op.direction == Direction::forward)
    kernels::position_forward(exec, size, a.weight.data(), a.out.data());
  else
    kernels::position_backward(exec, size, context, a.in.data(), a.gradient.data());
}

void run_tokens(Space const& exec, Arrays const& a, Operation const& op) {
  if (op.direction == Direction::forward)
    kernels::token_forward(exec, {1, a.tokens, d_model}, a.ids.data(), a.weight.data(), a.out.data());
  else
    kernels::token_backward(exec, d_model, a.groups, a.ids.data(), a.in.data(), a.gradient.data());
}

void run_rmsnorm(Space const& exec, Arrays const& a, Operation const& op) {
  float* const inverse_rms = a.statistics.data();
  if (op.direction == Direction::forward)
    kernels::rmsnorm_forward(exec, a.tokens, d_model, a.in.data(), a.weight.data(), a.out.data(),
                             inverse_rms);
  else
    kernels::rmsnorm_backward(exec, a.tokens, d_model, a.in.data(), inverse_rms, a.weight.data(),
                              a.wide_in.data(), {a.gradient.data(), a.out.data()}, a.scratch.data());
}

void run_swiglu(Space const& exec, Arrays const& a, Operation const& op) {
  const Index count = a.tokens * d_ff;
  float const* const up = a.wide_in.data();
  if (op.direction == Direction::forward)
    kernels::swiglu_forward(exec, count, a.in.data(), up, a.out.data());
  else
    kernels::swiglu_backward(exec, count, a.in.data(), up, up + count,
                             {a.wide_out.data(), a.wide_out.data() + count});
}

void run_rope(Space const& exec, Arrays const& a, Operation const& op) {
  float* const q = a.wide_out.data();
  float* const k = q + a.tokens * d_model;
  const kernels::AttentionSize size = attention_size(a);
  const kernels::Qkv qkv = kernels::separate_qkv<float>(size, q, k, nullptr);
  if (op.direction == Direction::forward)
    kernels::rope_forward(exec, size, a.rotations.data(), qkv);
  else
    kernels::rope_backward(exec, size, a.rotations.data(), qkv);
}

void run_adamw(Space const& exec, Arrays const& a, Operation const&) {
  float* const p = a.optimized.data();
  kernels::adamw(exec, parameters, {}, 10, {p, a.gradient.data(), p + parameters, p + 2 * parameters},
                 a.bias.data());
}

void run_norm(Space const& exec, Arrays const& a, Operation const&) {
  auto* const sum = reinterpret_cast<double*>(a.statistics.data());
  kernels::sum_of_squares(exec, 3 * parameters, a.optimized.data(), kernels::SumMode::assign, sum,
                          a.scratch.data());
}

}  // namespace ddproxy::bench
