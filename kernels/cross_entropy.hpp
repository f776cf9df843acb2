// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

// Softmax and cross entropy in one kernel. Of the softmax, only the logarithm of the denominator is stored,
// not the probabilities.

/// Computes the loss of each token:
///   log_sum[n] = log(sum over v of exp(logits[n, v]))
///   loss[n]    = log_sum[n] - logits[n, targets[n]]
/// Reads logits [N, V] and targets [N]; assigns log_sum [N] and loss [N]. N = rows, V = vocabulary.
void cross_entropy_forward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                           int const* targets, float* log_sum, float* loss);

/// Computes the sum over n of loss[n] in double. Reads loss [N]; assigns *sum, in memory of the execution
/// space. Two calls give the same result, bit for bit, on the same number of threads.
void sum_of_losses(Space const& exec, Index rows, float const* loss, double* sum);

/// Computes the gradient of scale times the sum of the losses:
///   dlogits[n, v] = scale (exp(logits[n, v] - log_sum[n]) - (1 if v = targets[n], else 0))
/// Scale is 1/N for the mean loss. Reads logits [N, V], log_sum [N] and targets [N]; assigns dlogits [N, V],
/// which may be the same array as logits.
void cross_entropy_backward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                            float const* log_sum, int const* targets, float scale, float* dlogits);

}  // namespace ddproxy::kernels
