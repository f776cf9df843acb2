// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

// The global norm of the gradients, and the factor that clips it (Pascanu, Mikolov, Bengio, arXiv:1211.5063,
// algorithm 1). The norm is the root of the sum of the squares of all elements of all gradients. Everything
// stays in memory of the execution space: the host does not wait.

/// Computes the sum of x[i]^2 for x [count] in double, and assigns the sum to *sum or adds it to *sum, as
/// `mode` says. Two calls give the same result, bit for bit, if the execution space has the same number of
/// threads. scratch [sum_of_squares_scratch() (kernels/sizes/scratch.hpp)] is overwritten; its address must
/// be a multiple of 8 bytes. A count of 0 is allowed.
void sum_of_squares(Space const& exec, Index count, float const* x, SumMode mode, double* sum,
                    float* scratch);

/// Splits a sum into two floats, so that ranks can add their sums in fp32: out [2] gets the sum rounded to
/// float, and the rest rounded to float.
void split_sum(Space const& exec, double const* sum, float* out);
/// Assigns parts[0] + parts[1] to *sum.
void join_sum(Space const& exec, float const* parts, double* sum);

/// The numbers that clip_factor() assigns. If a pointer is null, its number is not written.
struct ClipResult {
  float* factor;  ///< [1]
  float* norm;    ///< [1] the norm of the gradients before clipping
};

/// Computes the norm, sqrt(sum of `sums`), and a factor. If all gradients are multiplied by the factor, their
/// norm is at most `clip`, as with torch.nn.utils.clip_grad_norm_:
///   factor = min(1, clip / (norm + 1e-6))
/// Reads sums [count], each the sum_of_squares() of one part of the gradients. `clip` must be positive; the
/// caller checks that.
void clip_factor(Space const& exec, Index count, double const* sums, double clip, ClipResult out);

}  // namespace ddproxy::kernels
