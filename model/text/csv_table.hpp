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

/// A CSV file as text. Lines that start with '#' and empty lines are skipped. The first remaining line names
/// the columns. There is no quoting. Blanks around a field are removed. `row` is the index of a row, from 0,
/// without the header; it must be less than rows(). Errors are std::invalid_argument with the message
/// "FILE:LINE: what is wrong", or "FILE: what is wrong" if the file cannot be read or is too large.
class CsvTable {
 public:
  static constexpr std::size_t largest_file = 64 << 20;  ///< bytes; enough for about a million rows

  /// Reads the file. Throws if it cannot be opened, if it has more than `largest_file` bytes, if it has no
  /// header or no row, if a column name repeats, or if a row has the wrong number of fields.
  explicit CsvTable(std::filesystem::path const& file);

  /// Returns the number of rows. The header is not counted.
  std::size_t rows() const { return rows_.size(); }
  /// Returns true if the header has that column.
  bool has(std::string const& column) const { return find(column).has_value(); }

  /// Returns a field, which may be empty. Throws if the column does not exist.
  std::string const& text(std::size_t row, std::string const& column) const;
  /// Returns a field as a number. Throws if it is not a number, negative or not finite.
  double number(std::size_t row, std::string const& column) const;
  /// Returns a field as a whole number. Throws if it is negative or not a whole number.
  std::int64_t integer(std::size_t row, std::string const& column) const;
  /// Returns the time in seconds from the column `seconds`, `ms` or `us`. Throws if the file has none or
  /// several of these columns, if number() throws, or if the time is above 1e30 s.
  double seconds(std::size_t row) const;

  /// Throws if a required column is missing or if the file has a column that is not listed. "seconds" stands
  /// for the columns `seconds`, `ms` and `us`. Throws if "seconds" is required and the file has several of
  /// them.
  void expect_columns(std::initializer_list<char const*> required,
                      std::initializer_list<char const*> optional = {}) const;
  /// Throws if two rows have the same text in `column`.
  void expect_unique(std::string const& column) const;
  /// Throws "FILE:LINE: message" for the given row.
  [[noreturn]] void fail(std::size_t row, std::string const& message) const;

 private:
  struct Row {
    std::size_t line;
    std::vector<std::string> fields;
  };
  std::optional<std::size_t> find(std::string const& column) const;
  [[noreturn]] void fail_at(std::size_t line, std::string const& message) const;
  [[noreturn]] void fail_missing(std::string const& quoted, std::vector<std::string> const& needed) const;
  void add(std::size_t line, std::vector<std::string> fields);
  void set_header(std::size_t line, std::vector<std::string> names);
  std::string time_column() const;

  std::filesystem::path file_;
  std::size_t header_line_ = 0;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace ddproxy::model
