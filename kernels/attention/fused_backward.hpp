// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/fused_stages.hpp"
#include "kernels/attention/qkv.hpp"

// What the two kernels of the fused backward pass of attention share (fused_backward_keys.hpp and
// fused_backward_queries.hpp). Both recompute the scores S from queries and keys. From S and the logarithms
// of the softmax's denominators they recompute the probabilities P (Dao et al., arXiv:2205.14135, section
// 3.1). One kernel computes the gradients of keys and values, the other the gradients of queries. So no two
// teams add to the same number, and the results do not depend on the order in which teams run.
#if defined(KOKKOS_ENABLE_CUDA)

namespace ddproxy::kernels::fused {

/// The common parameters of both kernels.
struct Pass {
  AttentionSize size;
  Copies in;
  Qkv gradients;
  float scale;       ///< factor of the scores, 1 / sqrt(D)
  float scale_log2;  ///< scale log2(e)
};

/// The data of one step of a team, in shared memory: two tiles of `rows` rows each. In the kernel for the
/// gradients of keys and values the tiles are queries and dout, and `of_queries` is used. In the kernel for
/// the gradients of queries the tiles are keys and values.
template <int D, int rows>
struct Stage {
  alignas(256) Bf16 first[rows * D];
  alignas(256) Bf16 second[rows * D];
  QueryRow of_queries[rows];
};

/// The QueryRows of two neighbouring queries.
struct alignas(2 * sizeof(QueryRow)) TwoRows {
  QueryRow of[2];
};

/// Replaces the unscaled score in `score` by its probability P. Replaces the gradient of P in `dp` by the
/// gradient of the scaled score, P (dp - row.product). `row` belongs to the query of the score.
__device__ inline void differentiate(float scale_log2, QueryRow row, float& score, float& dp) {
  score = fast_power_of_two(Kokkos::fma(score, scale_log2, -row.log_sum));
  dp = score * (dp - row.product);
}

}  // namespace ddproxy::kernels::fused

#endif
