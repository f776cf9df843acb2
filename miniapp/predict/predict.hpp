// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "miniapp/options/options.hpp"

namespace ddproxy {

/// The command `predict` (docs/predict.md): prints to `out`, what casts doubt on it to `warnings`, a line
/// each. Returns the exit code: 1 where the score is beyond its limits, else 0. Throws std::invalid_argument,
/// one line, for wrong input.
int predict(Options const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy
