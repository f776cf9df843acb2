// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>

#include "results/compare/compare_options.hpp"

namespace ddproxy::results {

/// Carries out `ddproxy compare`. Prints the table to `out`. Prints one line to `warnings` for each doubt
/// about the table. Returns the exit code: 0 if nothing is slower, 1 if something is slower, 5 if the runs
/// are too few or too noisy to decide. With options.allow_undecided it returns 0 instead of 5.
///
/// Throws std::invalid_argument with a text of one line if a file cannot be read or compared, if one side has
/// the same run twice, if options contradict each other, or if an output file cannot be written or is also an
/// input. (A run on both sides causes a warning only.)
/// The caller then exits with code 2; nothing was written or printed. Throws std::runtime_error if an output
/// file could not be written completely.
int compare(CompareOptions const& options, std::ostream& out, std::ostream& warnings);

}  // namespace ddproxy::results
