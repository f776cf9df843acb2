// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>

#include "results/compare/compare_options.hpp"
#include "results/compare/percent.hpp"
#include "results/compare/table.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {

// The parts of `ddproxy compare`.

/// The next three functions carry out one kind of comparison each. Their arguments, results and exceptions
/// are those of compare() in results/compare.hpp.
int compare_two_sides(CompareOptions const& options, std::ostream& out, std::ostream& warnings);
int order_machines(CompareOptions const& options, std::ostream& out, std::ostream& warnings);
int show_history(CompareOptions const& options, std::ostream& out, std::ostream& warnings);

/// Reads the runs. Throws the exceptions of read_run() and check_distinct() (results/run/run_file.hpp).
std::vector<Run> read_runs(std::vector<std::filesystem::path> const& paths);

/// Prints the table to `out`, and one line for each doubt to `warnings`. Then writes the table to the files
/// that the options name. Throws the exceptions of write() (table.hpp).
void finish(Table const& table, std::vector<std::string> const& doubts, CompareOptions const& options,
            std::ostream& out, std::ostream& warnings);

/// Appends one cell for each value. A value that is 0, negative or not finite stands for a bound that cannot
/// be computed, because there are too few data. Its cell is "not available".
void append(Row& row, std::initializer_list<double> values);

}  // namespace ddproxy::results
