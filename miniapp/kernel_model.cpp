// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/kernel_model.hpp"

#include <random>
#include <stdexcept>
#include <vector>

namespace ddproxy {
namespace {

[[noreturn]] void not_there(std::string const& what) {
  throw std::invalid_argument("compute mode \"kernels\" does not have " + what +
                              "; use compute.mode = \"replay\", or change [model]");
}

void check_tokens(model::Shape const& shape, model::Tokens tokens) {
  if (tokens.batch <= 0 || tokens.sequence <= 0)
    throw std::invalid_argument("step: batch and sequence must be positive");
  if (tokens.sequence > shape.context)
    throw std::invalid_argument("step: sequence (" + std::to_string(tokens.sequence) +
                                ") must not exceed the model's context (" + std::to_string(shape.context) +
                                ")");
}

/// [B, T + 1] uniform random tokens, different for each seed.
std::vector<int> random_tokens(model::Shape const& shape, model::Tokens tokens, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> drawn(static_cast<std::size_t>(tokens.batch * (tokens.sequence + 1)));
  // not std::uniform_int_distribution: its numbers differ from one standard library to another
  for (int& token : drawn) token = static_cast<int>(random() % static_cast<std::uint64_t>(shape.vocabulary));
  return drawn;
}

/// Of each of the sequences of T + 1 tokens the T from `first` on.
std::vector<int> from(std::vector<int> const& drawn, model::Tokens tokens, std::int64_t first) {
  std::vector<int> taken;
  for (std::int64_t b = 0; b < tokens.batch; ++b) {
    const auto begin = drawn.begin() + b * (tokens.sequence + 1) + first;
    taken.insert(taken.end(), begin, begin + tokens.sequence);
  }
  return taken;
}

}  // namespace

void check_kernels_have(model::Shape const& shape, model::Tokens tokens) {
  model::check(shape);
  if (shape.activation != model::Activation::gelu) not_there("activation \"swiglu\"");
  if (shape.norm != model::Norm::layernorm) not_there("norm \"rmsnorm\"");
  if (shape.positions != model::Positions::learned) not_there("models without learned positions");
  if (shape.qkv != model::Qkv::fused) not_there("separate q, k and v");
  if (!shape.biases) not_there("models without biases");
  check_tokens(shape, tokens);
}

MemoryNeed kernel_memory(model::Shape const& shape, model::Tokens tokens, std::int64_t concurrency) {
  check_kernels_have(shape, tokens);
  constexpr std::int64_t bytes = sizeof(float);
  constexpr std::int64_t token_arrays = 4;  // inputs, targets and the two of the groups
  const std::int64_t model_bytes = model::parameters(model::backward_pass(shape)) * bytes;
  return {model_bytes, model_bytes,
          (activation_elements(shape, tokens) + token_arrays * tokens.count()) * bytes,
          work_elements(shape, tokens, concurrency) * bytes};
}

KernelModel::KernelModel(kernels::Space const& exec, model::Shape const& shape,
                         model::BackwardPass const& pass, model::Tokens tokens, std::uint32_t seed, int rank)
    : shape(shape),
      tokens(tokens),
      layout(pass),
      weights(Kokkos::view_alloc("weights", Kokkos::WithoutInitializing),
              static_cast<std::size_t>(layout.count())),
      activation_memory("activations", activation_elements(shape, tokens)),
      activations(activation_memory, shape, tokens) {
  initialise_weights(exec, shape, pass, seed, weights);
  const std::vector<int> drawn = random_tokens(shape, tokens, seed + static_cast<std::uint32_t>(rank));
  const std::vector<int> read = from(drawn, tokens, 0);
  inputs = kernels::copy_tokens("inputs", read);
  targets = kernels::copy_tokens("targets", from(drawn, tokens, 1));
  groups = kernels::group_tokens(read);
}

}  // namespace ddproxy
