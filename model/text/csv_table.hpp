// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy::model {

/// A CSV file as text: lines that start with '#' and empty lines are left out, the first one left names the
/// columns. There is no quoting; blanks around a field are dropped. Errors are std::invalid_argument
/// "FILE:LINE: what is wrong".
class CsvTable {
 public:
  /// Throws for a file that cannot be opened, has no header or no row, a column named twice, a row of the
  /// wrong length.
  explicit CsvTable(std::filesystem::path const& file);

  std::size_t rows() const { return rows_.size(); }
  bool has(std::string const& column) const { return find(column).has_value(); }

  /// The field, which may be empty. Throws where there is no such column.
  std::string const& text(std::size_t row, std::string const& column) const;
  /// A number that is finite and not negative; else throws.
  double number(std::size_t row, std::string const& column) const;
  /// A whole number that is not negative; else throws.
  std::int64_t integer(std::size_t row, std::string const& column) const;
  /// The column `seconds`, or `ms` or `us` scaled to seconds. Throws where there is none, or more than one.
  double seconds(std::size_t row) const;

  /// Throws where a column is missing or the file has one that is not listed. "seconds" stands for ms and us,
  /// too.
  void expect_columns(std::initializer_list<char const*> required,
                      std::initializer_list<char const*> optional = {}) const;
  /// Throws where two rows have the same text in `column`.
  void expect_unique(std::string const& column) const;
  /// Throws "FILE:LINE: message" for a row.
  [[noreturn]] void fail(std::size_t row, std::string const& message) const;

 private:
  struct Row {
    std::size_t line;
    std::vector<std::string> fields;
  };
  std::optional<std::size_t> find(std::string const& column) const;
  [[noreturn]] void fail_at(std::size_t line, std::string const& message) const;
  void add(std::size_t line, std::vector<std::string> fields);
  void set_header(std::size_t line, std::vector<std::string> names);
  std::string time_column() const;

  std::filesystem::path file_;
  std::size_t header_line_ = 0;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace ddproxy::model
