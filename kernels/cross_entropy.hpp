// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

// Softmax and cross entropy in one; the probabilities are never stored, only the logarithm of their
// denominator.

/// loss[n] = log_sum[n] - logits[n, targets[n]], log_sum[n] = log of the sum over v of exp(logits[n, v]);
/// logits [N, V], targets [N], loss [N] and log_sum [N] assigned.
void cross_entropy_forward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                           int const* targets, float* log_sum, float* loss);

/// dlogits[n, v] = scale (exp(logits[n, v] - log_sum[n]) - [v = targets[n]]); scale 1/N for the mean loss;
/// dlogits [N, V] assigned (it may be logits).
void cross_entropy_backward(Space const& exec, Index rows, Index vocabulary, float const* logits,
                            float const* log_sum, int const* targets, float scale, float* dlogits);

}  // namespace ddproxy::kernels
