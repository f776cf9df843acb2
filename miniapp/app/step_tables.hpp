// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/analysis/step_figures.hpp"

namespace ddproxy {

/// Returns what `ddproxy step` prints: a row for each part of the step with its measured and predicted times,
/// the share of each kind of operator, and lines with the loss, the global batch and the throughput.
/// `cap_mib` is the largest size of a bucket.
std::string step_table(StepFigures const& figures, Config const& config, double cap_mib);

}  // namespace ddproxy
