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

// The parts of `ddproxy compare`; arguments and exit codes are those of compare().

int compare_two_sides(CompareOptions const& options, std::ostream& out, std::ostream& warnings);
int order_machines(CompareOptions const& options, std::ostream& out, std::ostream& warnings);
int show_history(CompareOptions const& options, std::ostream& out, std::ostream& warnings);

/// Throws as check_distinct does, too.
std::vector<Run> read_runs(std::vector<std::filesystem::path> const& paths);

/// Prints and writes the table, and a line for each doubt.
void finish(Table const& table, std::vector<std::string> const& doubts, CompareOptions const& options,
            std::ostream& out, std::ostream& warnings);

/// Appends cells of positive values; others are bounds that there is not enough data for, and not available.
void append(Row& row, std::initializer_list<double> values);

}  // namespace ddproxy::results
