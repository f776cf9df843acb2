// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/kernel_model.hpp"

#include <random>
#include <vector>

namespace ddproxy {
namespace {

/// Returns uniform random tokens [B, T + 1]. Each seed gives different tokens.
std::vector<int> random_tokens(model::Shape const& shape, model::Tokens tokens, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> drawn(static_cast<std::size_t>(tokens.batch * (tokens.sequence + 1)));
  // std::uniform_int_distribution gives different numbers in different standard libraries, so it is not used
  for (int& token : drawn) token = static_cast<int>(random() % static_cast<std::uint64_t>(shape.vocabulary));
  return drawn;
}

/// Returns T tokens from `first` on, of each sequence of T + 1 tokens, as [B, T].
std::vector<int> from(std::vector<int> const& drawn, model::Tokens tokens, std::int64_t first) {
  std::vector<int> taken;
  for (std::int64_t b = 0; b < tokens.batch; ++b) {
    const auto begin = drawn.begin() + b * (tokens.sequence + 1) + first;
    taken.insert(taken.end(), begin, begin + tokens.sequence);
  }
  return taken;
}

}  // namespace

KernelModel::KernelModel(kernels::Space const& exec, model::Shape const& shape,
                         model::BackwardPass const& pass, model::Tokens tokens, std::uint32_t seed, int rank)
    : shape(shape),
      tokens(tokens),
      layout(pass),
      weights(Kokkos::view_alloc("weights", Kokkos::WithoutInitializing),
              static_cast<std::size_t>(layout.elements())),
      activation_memory("activations", activation_buffers(shape, tokens)),
      activations(activation_memory, shape) {
  initialise_weights(exec, shape, pass, seed, weights);
  const std::vector<int> drawn = random_tokens(shape, tokens, seed + static_cast<std::uint32_t>(rank));
  const std::vector<int> read = from(drawn, tokens, 0);
  inputs = kernels::copy_tokens("inputs", read);
  targets = kernels::copy_tokens("targets", from(drawn, tokens, 1));
  groups = kernels::group_tokens(read);
}

}  // namespace ddproxy
