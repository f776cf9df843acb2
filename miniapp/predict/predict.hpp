// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// Runs the command `predict` (docs/predict.md). Prints the prediction to `out`, and each warning as one line
/// to `warnings`. Writes the files of --json and --csv. Returns the exit code: 1 if the model error or the
/// regret is above its limit, else 0. Throws std::invalid_argument with a message of one line for wrong
/// input.
int predict(Options const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy
