// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ddproxy {
namespace {

/// Returns a hash of a 32-bit word. It is a bijection, and every bit of x affects every bit of the result.
/// Shifts and multipliers are those of MurmurHash3 (fmix32).
KOKKOS_INLINE_FUNCTION std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

struct Distribution {
  float centre;
  float deviation;
};

Distribution distribution(model::Shape const& shape, model::Operation const& operation, bool bias) {
  constexpr float gpt2_deviation = 0.02F;
  const bool projection =
      operation.part == model::Part::attn_c_proj || operation.part == model::Part::mlp_c_proj;
  if (bias) return {0, gpt2_deviation};
  if (operation.kind == model::OperationKind::norm) return {1, gpt2_deviation};
  if (projection) return {0, gpt2_deviation / std::sqrt(2 * static_cast<float>(shape.layers))};
  return {0, gpt2_deviation};
}

// Assigns elements first, first + 1, ... of a tensor to out [count].
void fill(kernels::Space const& exec, std::int64_t first, std::int64_t count, std::uint32_t seed,
          Distribution numbers, float* out) {
  const float width = numbers.deviation * std::sqrt(12.0F);  // width of a uniform distribution
  const float scale = width / 4294967296.0F;
  const float low = numbers.centre - width / 2;
  Kokkos::parallel_for(
      "initialise_weights", kernels::Range(exec, 0, count), KOKKOS_LAMBDA(kernels::Index i) {
        out[i] = low + scale * static_cast<float>(mix(static_cast<std::uint32_t>(first + i) ^ seed));
      });
}

}  // namespace

void initialise_weights(kernels::Space const& exec, model::Shape const& shape,
                        model::BackwardPass const& pass, std::uint32_t seed, model::Slice part,
                        float* weights) {
  for (std::size_t tensor = 0; tensor < pass.gradients.size(); ++tensor) {
    auto const& gradient = pass.gradients[tensor];
    const std::size_t begin = std::max(part.offset, gradient.offset);
    const std::size_t end = std::min(part.end(), gradient.slice().end());
    if (begin >= end) continue;
    const auto own_seed = mix(seed + 0x9e3779b9U * static_cast<std::uint32_t>(tensor + 1));
    fill(exec, static_cast<std::int64_t>(begin - gradient.offset), static_cast<std::int64_t>(end - begin),
         own_seed, distribution(shape, pass.operations[gradient.operation], gradient.bias),
         weights + (begin - part.offset));
  }
}

}  // namespace ddproxy
