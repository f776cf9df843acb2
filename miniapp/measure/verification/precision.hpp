// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The errors of the gradients that the kernels compute at the input's precision, relative to the gradients
/// that they compute in fp32. Both come from a forward and a backward pass with the same weights and the same
/// tokens. An error is |gradient - fp32 gradient| / |fp32 gradient|, with Euclidean norms. It is infinite if
/// a value is NaN.
struct PrecisionErrors {
  std::vector<double> rms;  ///< [gradient] error of each gradient, in ready order
  double total_rms = 0;     ///< error of all gradients as one vector
};

/// Runs the forward and the backward pass in fp32, then at the input's precision, and compares the gradients.
/// Returns the maximum of each error over the ranks, the same on all ranks. Afterwards matrix products have
/// the input's precision. Collective.
PrecisionErrors measure_precision_errors(RankContext& context);

/// Returns the errors of `gradients` relative to `fp32` on this rank. Both have one element for each
/// parameter, in ready order; `fp32` is in host memory, `gradients` in the memory of the kernels.
PrecisionErrors compare_gradients(model::BackwardPass const& pass, std::span<float const> fp32,
                                  std::span<float> gradients);

/// Returns the largest total_rms that correct matrix products may have. It is an estimate with a margin; it
/// was not measured on a device.
///
/// Rounding an operand changes it by at most 2^-8 of its value in bf16, and 2^-11 in TF32. The errors of
/// successive operations are independent, so their squares add up. Over the 36 layers of GPT-2-large this
/// gives about 0.05 in bf16. A product of wrong operands gives an error of 1 or more.
double precision_error_bound(Precision precision);

/// Returns a message if total_rms exceeds precision_error_bound() or is NaN, and an empty text otherwise. The
/// message names the gradient with the largest error.
std::string beyond_bound(PrecisionErrors const& errors, Precision precision, model::BackwardPass const& pass);

/// Returns the errors in one line of text for users.
std::string describe(PrecisionErrors const& errors, Precision precision);

}  // namespace ddproxy
