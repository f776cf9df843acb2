// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "results/compare/compare_options.hpp"

namespace ddproxy::results {

/// Prints a table to `out` and what casts doubt on it to `warnings`, a line each. Returns the exit code: 0
/// where nothing got slower, 1 where something did, 5 where that cannot be told (0 with allow_undecided).
/// Throws std::invalid_argument, one line, for files that cannot be read or compared or are there twice, for
/// options that do not fit together, and for files that cannot be written or are among those to be read: the
/// exit code is then 2, and nothing was written or printed. Throws std::runtime_error where the disk takes no
/// output.
int compare(CompareOptions const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy::results
