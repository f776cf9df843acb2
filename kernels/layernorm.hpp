// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

inline constexpr float layernorm_epsilon = 1e-5f;

/// Mean and reciprocal standard deviation of each row, kept from the forward pass.
struct RowStatistics {
  float* mean;  ///< [N]
  float* rstd;  ///< [N], 1 / sqrt(variance + layernorm_epsilon)
};

/// y = (x - mean) rstd weight + bias (Ba, Kiros, Hinton, arXiv:1607.06450); x [N, C], weight and bias [C],
/// y [N, C] and statistics assigned.
void layernorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                       float const* bias, float* y, RowStatistics statistics);

struct LayernormGradients {
  float* weight;  ///< [C] assigned
  float* bias;    ///< [C] assigned
  float* x;       ///< [N, C] ACCUMULATED: it is the residual stream's gradient
};

/// Elements of scratch memory that layernorm_backward needs in a space of that concurrency.
Index layernorm_scratch(Index concurrency, Index columns);

/// dweight = sum over rows of dy x^, dbias = sum of dy, dx += rstd (d - mean(d) - x^ mean(d x^)) with
/// x^ = (x - mean) rstd and d = dy weight; x, dy [N, C], weight [C].
void layernorm_backward(Space const& exec, Index rows, Index columns, float const* x,
                        RowStatistics statistics, float const* weight, float const* dy,
                        LayernormGradients out, float* scratch);

}  // namespace ddproxy::kernels
