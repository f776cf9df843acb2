// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/embedding.hpp"

namespace ddproxy::bench {

using kernels::Index;

// The dimensions of GPT-2-large.
inline constexpr Index d_model = 1280;
inline constexpr Index d_ff = 5120;
inline constexpr Index heads = 20;
inline constexpr Index vocabulary = 50257;
inline constexpr Index context = 1024;
// Number of parameters that one call of the optimizer updates. The loops in Peaks have as many elements.
inline constexpr Index parameters = Index{1} << 24;

/// Arrays that are large enough for every operation on N = `tokens` tokens, at most `context`. All operations
/// use the same arrays. C = d_model, F = d_ff, V = vocabulary, H = heads.
struct Arrays {
  explicit Arrays(Index tokens);

  Index tokens;
  kernels::Floats wide_in;     ///< [N, V]
  kernels::Floats wide_out;    ///< [N, V]
  kernels::Floats in;          ///< [N, F]
  kernels::Floats out;         ///< [N, F]
  kernels::Floats weight;      ///< [V, C]
  kernels::Floats gradient;    ///< [V, C]
  kernels::Floats bias;        ///< [F]
  kernels::Floats statistics;  ///< [3, N, H]
  kernels::Floats optimized;   ///< [3, parameters]: parameters and their two moments
  kernels::Floats rotations;   ///< [N, C/H]
  kernels::Floats scratch;
  kernels::TokenIds ids;  ///< [N]
  kernels::TokenGroups groups;
};

enum class Direction { forward, backward };

/// The loop whose speed bounds an operation without matrix products. `triad` is STREAM's; `update` reads and
/// writes three arrays and reads a fourth.
enum class MemoryLoop { triad, update };

/// One row of the output: an operation, its cost, and the function that runs it.
struct Operation {
  char const* name;
  Direction direction;
  void (*run)(kernels::Space const& exec, Arrays const& arrays, Operation const& operation);
  Index in;               ///< features of a linear map's input, else 0
  Index out;              ///< features of a linear map's output, else 0
  double token_elements;  ///< elements read and written per token, each operand once; 0 for a linear map
  double fixed_elements;  ///< elements read and written for any number of tokens
  double pair_flops;      ///< flops of attention for each pair of a query and a key that the query sees
  MemoryLoop bound = MemoryLoop::triad;

  /// Returns the flops of the matrix products for n tokens.
  constexpr double flops(double n) const {
    const double products = direction == Direction::forward ? 1 : 2;
    return products * 2 * n * static_cast<double>(in) * static_cast<double>(out) +
           pair_flops * n * (n + 1) / 2;
  }

  /// Returns the bytes that are read and written for n tokens, each operand once.
  constexpr double bytes(double n) const {
    const double i = static_cast<double>(in), o = static_cast<double>(out);
    const bool back = direction == Direction::backward;
    return sizeof(float) *
           (n * (back ? 2 * i + o : i + o) + i * o * (back ? 2 : 1) + n * token_elements + fixed_elements);
  }
};

using Run = void(kernels::Space const& exec, Arrays const& arrays, Operation const& operation);
Run run_linear, run_head, run_attention, run_layernorm, run_gelu, run_residual, run_cross_entropy,
    run_positions, run_tokens, run_rmsnorm, run_swiglu, run_rope, run_adamw, run_norm;

}  // namespace ddproxy::bench
