// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "planner/options.hpp"

namespace ddproxy {

/// The command `predict` (docs/predict.md): prints to `out`, what casts doubt on it to `warnings`, a line
/// each. Throws std::invalid_argument, one line, for wrong input.
void predict(Options const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy
