// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/compare/compare_options.hpp"
#include "results/compare/outcome.hpp"

namespace ddproxy::results {

/// A column of a table: its name in CSV and JSON, how it is printed for people.
struct Column {
  enum class Kind { text, seconds, share, ratio, count, number };
  std::string name;
  std::string heading;
  Kind kind = Kind::text;
};

/// A cell: text, or a number that is not finite where it is not available.
struct Cell {
  std::string text;
  double number = 0.0;
};

/// One row a case.
struct Row {
  std::vector<Cell> cells;
  std::string alarm;           ///< its message; empty where it is none
  std::string undecided = {};  ///< why there can be no verdict; empty where there is one
};

struct Table {
  std::string name;  ///< of the JUnit suite and the JSON member, for instance "compare"
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::pair<std::string, double>> figures = {};  ///< further members of the JSON, by name
  std::optional<Outcome> whole = {};  ///< the decision over all rows; nothing where none is asked for
};

/// Aligned columns for people; numbers that are not available are "-".
void print(Table const& table, std::ostream& out);

/// Writes the files that the options ask for. JSON: {"NAME": {column: [...]}, "alarms": n, "undecided": n,
/// "decision": "unchanged" | "slower" | "undecided", "reason": text, the figures by their names,
/// "warnings": [...]}, not available is null; CSV: a header and a line a row, empty where not available;
/// JUnit: first a test case "decision" where the table decides, which fails where it is slower, and where it
/// is undecided unless options.allow_undecided (then it is skipped); after it a test case a row, the alarms
/// failures, the undecided skipped. Throws as write_text does, naming a file that cannot be written.
void write(Table const& table, std::vector<std::string> const& warnings, CompareOptions const& options);

}  // namespace ddproxy::results
