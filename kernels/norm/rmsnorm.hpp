// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

inline constexpr float rmsnorm_epsilon = 1e-5f;

/// Computes y = x weight / rms for each row, with rms = sqrt(mean(x^2) + rmsnorm_epsilon) and the mean taken
/// over the columns of the row (Zhang and Sennrich, arXiv:1910.07467, equation 4). Reads x [N, C] and weight
/// [C]; assigns y [N, C] and inverse_rms [N], the value 1 / rms of each row. N = rows, C = columns.
void rmsnorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                     float* y, float* inverse_rms);

/// The gradients that rmsnorm_backward() writes.
struct RmsnormGradients {
  float* weight;                        ///< [C]
  float* x;                             ///< [N, C] ACCUMULATED: it is the gradient of the residual stream
  SumMode of_weight = SumMode::assign;  ///< whether `weight` is assigned or added to
};

/// Computes the gradients of an RMS norm. With xhat = x / rms, d = dy weight, and avg() the average over the
/// columns of a row:
///   dweight = sum over rows of dy xhat
///   dx     += (d - xhat avg(d xhat)) / rms
/// Reads x [N, C], dy [N, C], weight [C] and inverse_rms [N] of the forward pass. scratch [rmsnorm_scratch()
/// (kernels/sizes/scratch.hpp)] is overwritten.
void rmsnorm_backward(Space const& exec, Index rows, Index columns, float const* x, float const* inverse_rms,
                      float const* weight, float const* dy, RmsnormGradients out, float* scratch);

}  // namespace ddproxy::kernels
