// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// Runs the command `predict` (docs/predict.md). Prints the prediction to `out`, and warnings to `warnings`,
/// one line each. Returns the exit code: 1 if a score is beyond its limit, else 0. For wrong input throws
/// std::invalid_argument with a message of one line.
int predict(Options const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy
