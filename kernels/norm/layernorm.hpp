// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"
#include "kernels/norm/row_statistics.hpp"

namespace ddproxy::kernels {

inline constexpr float layernorm_epsilon = 1e-5f;

/// Computes y = (x - mean) rstd weight + bias for each row (Ba, Kiros, Hinton, arXiv:1607.06450). Reads
/// x [N, C], weight [C] and bias [C]; assigns y [N, C] and the statistics. N = rows, C = columns. A null
/// pointer as the bias stands for 0.
void layernorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                       float const* bias, float* y, RowStatistics statistics);

/// The gradients that layernorm_backward() writes.
struct LayernormGradients {
  float* weight;                         ///< [C]
  float* bias;                           ///< [C], or a null pointer for a norm without a bias
  float* x;                              ///< [N, C] ACCUMULATED: it is the gradient of the residual stream
  SumMode parameters = SumMode::assign;  ///< whether `weight` and `bias` are assigned or added to
};

/// Computes the gradients of a layer norm. With xhat = (x - mean) rstd, d = dy weight, and avg() the average
/// over the columns of a row:
///   dweight = sum over rows of dy xhat
///   dbias   = sum over rows of dy
///   dx     += rstd (d - avg(d) - xhat avg(d xhat))
/// Reads x [N, C], dy [N, C], weight [C] and the statistics of the forward pass. scratch [layernorm_scratch()
/// (kernels/sizes/scratch.hpp)] is overwritten.
void layernorm_backward(Space const& exec, Index rows, Index columns, float const* x,
                        RowStatistics statistics, float const* weight, float const* dy,
                        LayernormGradients out, float* scratch);

}  // namespace ddproxy::kernels
