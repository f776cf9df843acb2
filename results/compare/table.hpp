// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/compare/compare_options.hpp"
#include "results/compare/outcome.hpp"

namespace ddproxy::results {

/// Describes a column of a table: its name in CSV and JSON, its heading in the printed table, and the kind of
/// its values, which decides how they are printed.
struct Column {
  enum class Kind { text, seconds, share, ratio, count, number };
  std::string name;
  std::string heading;
  Kind kind = Kind::text;
};

/// Holds a cell. In a column of the kind `text` its value is `text`, in other columns `number`. A `number`
/// that is not finite means that the value is not available.
struct Cell {
  std::string text;
  double number = 0.0;
};

/// Holds one row of a table. A row describes one case, or one machine.
struct Row {
  std::vector<Cell> cells;
  std::string alarm;           ///< alarm message; empty: no alarm
  std::string undecided = {};  ///< why there is no verdict; empty: there is a verdict
};

/// Holds a table with its decision.
struct Table {
  std::string name;  ///< name of the JUnit suite and the JSON member, for instance "compare"
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::pair<std::string, double>> figures = {};  ///< additional members of the JSON, by name
  std::optional<Outcome> whole = {};  ///< decision over all rows; empty if none is needed
};

/// Prints aligned columns. Numbers that are not available are printed as "-".
void print(Table const& table, std::ostream& out);

/// Writes the files that options.json, options.csv and options.junit name. Throws the exceptions of
/// write_text() (results/output/text_file.hpp), which name the file that cannot be written.
///
/// JSON: {"NAME": {column: [...]}, "alarms": n, "undecided": n, "decision": "unchanged" | "slower" |
/// "undecided", "reason": text, the figures by their names, "warnings": [...]}. A number that is not
/// available is null. If the table has no decision, "decision" and "reason" are missing.
///
/// CSV: a header, and one line for each row. A number that is not available is an empty field.
///
/// JUnit: one test case for each row. A row with an alarm has failed, and an undecided row is skipped. If the
/// table has a decision, a test case "decision" comes first. It fails if the decision is slower. If the
/// decision is undecided, it fails, too; with options.allow_undecided it is skipped instead.
void write(Table const& table, std::vector<std::string> const& warnings, CompareOptions const& options);

}  // namespace ddproxy::results
