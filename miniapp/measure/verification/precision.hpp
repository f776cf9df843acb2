// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// How far the gradients of a real pass at the input's precision are from those in fp32: same weights, same
/// tokens, forward and backward pass. Of each gradient, in ready order, maximum over the ranks.
struct PrecisionErrors {
  std::vector<double> rms;  ///< |error| / |gradient in fp32|, Euclidean norms; infinite for NaN
  double total_rms = 0;     ///< of all gradients together
};

/// Runs the step twice, and leaves the precision as the input has it. Collective; the same on all ranks.
PrecisionErrors measure_precision_errors(RankContext& context);

/// Of one rank: `fp32` and `gradients` are [parameters] in ready order.
PrecisionErrors compare_gradients(model::BackwardPass const& pass, kernels::HostFloats const& fp32,
                                  kernels::Floats const& gradients);

/// total_rms beyond which products are taken to be wrong: an estimate with room, no device has measured it.
/// Rounding an operand changes it by at most 2^-8 of itself in bf16, 2^-11 in TF32; errors of operations in a
/// row are independent and add up as their root, to some 0.05 in bf16 over the 36 layers of GPT-2-large.
/// Products of wrong operands give 1 and more.
double precision_error_bound(Precision precision);

/// What is wrong: gradients beyond the bound, or NaN; empty where nothing is.
std::string beyond_bound(PrecisionErrors const& errors, Precision precision, model::BackwardPass const& pass);

/// One line for people.
std::string describe(PrecisionErrors const& errors, Precision precision);

}  // namespace ddproxy
