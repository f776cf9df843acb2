// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "short_model.hpp"

#include <algorithm>

#include "kernels/gemm/gemm.hpp"

namespace ddproxy::bench {
namespace {

using kernels::Floats;
using kernels::Index;

model::Shape shortened_large(std::int64_t layers, std::int64_t vocabulary) {
  model::Shape shape = model::find_preset("gpt2-large");
  shape.layers = layers;
  shape.vocabulary = vocabulary;
  return shape;
}

/// The number of queries whose scores one set of products computes. The BLAS is fast with this number.
constexpr Index tile_queries = kernels::on_device ? 256 : 64;

Floats filled(Index count) {
  Floats values("values", static_cast<std::size_t>(count));
  Kokkos::deep_copy(values, 0.01F);
  return values;
}

}  // namespace

ShortModel::ShortModel(std::int64_t layers, std::int64_t vocabulary, std::int64_t tokens)
    : shape_(shortened_large(layers, vocabulary)),
      pass_(model::backward_pass(shape_)),
      tokens_{1, tokens},
      arena_(filled(model::parameters(pass_))),
      backward_(std::make_unique<KernelBackward>(shape_, pass_, tokens_, 1, 0, arena_)),
      in_(filled(tokens * std::max(shape_.d_ff, vocabulary))),
      out_(filled(tokens * shape_.d_ff)),
      dqkv_(filled(tokens * 3 * shape_.d_model)),
      scores_(filled(tile_queries * tokens * shape_.heads)) {}

double ShortModel::backward_seconds() {
  const auto start = Clock::now();
  for (std::size_t i = 0; i < backward_->operations(); ++i) backward_->run(i);
  backward_->fence();
  return seconds_since(start);
}

double ShortModel::product_seconds() {
  const auto start = Clock::now();
  for (auto const& gradient : pass_.gradients) {
    auto const& operation = pass_.operations[gradient.operation];
    if (operation.kind == model::OperationKind::linear && !gradient.bias)
      linear_products(operation, gradient.offset);
  }
  for (auto const& operation : pass_.operations) {
    if (operation.kind == model::OperationKind::head) head_products();
    if (operation.kind == model::OperationKind::attention) attention_products();
  }
  exec_.fence();
  return seconds_since(start);
}

void ShortModel::linear_products(model::Operation const& operation, std::size_t at) {
  const Index n = tokens_.count(), in = operation.in, out = operation.out;
  float* const gradient = arena_.data() + at;
  float const* const weight = backward_->parameters().data() + at;
  kernels::gemm(exec_, {in, out, n}, 1, {out_.data(), in, true}, {in_.data(), out}, 0, {gradient, out});
  kernels::gemm(exec_, {n, in, out}, 1, {in_.data(), out}, {weight, out, true}, 0, {out_.data(), in});
}

void ShortModel::head_products() {
  const Index n = tokens_.count(), c = shape_.d_model, v = shape_.vocabulary;
  const std::size_t at = pass_.gradients.back().offset;  // the token embedding, which the head shares
  float* const gradient = arena_.data() + at;
  float const* const weight = backward_->parameters().data() + at;
  kernels::gemm(exec_, {v, c, n}, 1, {in_.data(), v, true}, {out_.data(), c}, 0, {gradient, c});
  kernels::gemm(exec_, {n, c, v}, 1, {in_.data(), v}, {weight, c}, 0, {out_.data(), c});
}

/// Runs five products for each tile of queries and the keys that they see: the scores, their gradient, and
/// the gradients of v, k and q.
void ShortModel::attention_products() {
  const Index t = tokens_.sequence, c = shape_.d_model, heads = shape_.heads, d = c / heads;
  float const* const q = in_.data();
  for (Index first = 0; first < t; first += tile_queries) {
    const Index rows = std::min(tile_queries, t - first), keys = first + rows;
    const kernels::Matrix queries{q + first * 3 * c, 3 * c, false, d}, seen{q + c, 3 * c, false, d};
    const kernels::Matrix seen_transposed{q + c, 3 * c, true, d};
    const kernels::Matrix scores{scores_.data(), keys, false, rows * keys};
    const kernels::Matrix scores_transposed{scores_.data(), keys, true, rows * keys};
    const kernels::Result to_keys{dqkv_.data(), 3 * c, d}, to_scores{scores_.data(), keys, rows * keys};
    for (int i = 0; i < 2; ++i)
      kernels::gemm_strided_batched(exec_, heads, {rows, keys, d}, 1, queries, seen_transposed, 0, to_scores);
    for (int i = 0; i < 2; ++i)
      kernels::gemm_strided_batched(exec_, heads, {keys, d, rows}, 1, scores_transposed, queries, 1, to_keys);
    kernels::gemm_strided_batched(exec_, heads, {rows, d, keys}, 1, scores, seen, 0, to_keys);
  }
}

}  // namespace ddproxy::bench
