// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "model/text/echo.hpp"
#include "model/text/read_text.hpp"

namespace ddproxy::model {
namespace {

struct TimeUnit {
  char const* column;
  double seconds;
};
constexpr TimeUnit time_units[] = {{"seconds", 1.0}, {"ms", 1e-3}, {"us", 1e-6}};

constexpr double most_seconds = 1e30;  // keeps sums, products and ratios of many such values finite

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";  // byte-order mark at the start of a file

bool is_time(std::string const& column) {
  return std::any_of(std::begin(time_units), std::end(time_units),
                     [&](auto const& unit) { return column == unit.column; });
}

std::string trimmed(std::string const& text) {
  char const* const blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string const& line) {
  std::vector<std::string> fields;
  std::size_t start = 0;
  for (std::size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', start)) {
    fields.push_back(trimmed(line.substr(start, comma - start)));
    start = comma + 1;
  }
  fields.push_back(trimmed(line.substr(start)));
  return fields;
}

std::string in_quotes(std::string const& text) {
  return std::string("\"").append(echo(text)).append("\"");
}

/// Returns the first eight names in quotes, and the number of the others, as one text.
std::string listed(std::vector<std::string> const& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
    text += (k ? ", " : "") + in_quotes(names[k]);
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

/// Returns true if the whole text is one number of type T, and stores it in `value`.
template <typename T>
bool parse(std::string const& text, T& value) {
  char const* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stopped == end;
}

}  // namespace

CsvTable::CsvTable(std::filesystem::path const& file) : file_(file) {
  std::istringstream stream(read_text(file, largest_file));
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (number == 1 && line.starts_with(utf8_mark)) line.erase(0, utf8_mark.size());
    const std::string content = trimmed(line);
    if (content.empty() || content[0] == '#') continue;
    if (columns_.empty()) {
      set_header(number, split(content));
    } else {
      add(number, split(content));
    }
  }
  if (columns_.empty()) fail_at(1, "the file has no header; its first line must name the columns");
  if (rows_.empty()) fail_at(header_line_, "the file has a header but no rows; add one row or more");
}

void CsvTable::set_header(std::size_t line, std::vector<std::string> names) {
  header_line_ = line;
  for (auto& name : names) {
    if (has(name)) fail_at(line, "the header names the column " + in_quotes(name) + " twice; remove one");
    columns_.push_back(std::move(name));
  }
}

void CsvTable::add(std::size_t line, std::vector<std::string> fields) {
  if (fields.size() != columns_.size()) {
    fail_at(line, "number of fields in this row: " + std::to_string(fields.size()) +
                      ", but the header names " + std::to_string(columns_.size()) +
                      " column(s); give one field for each column");
  }
  rows_.push_back({line, std::move(fields)});
}

std::optional<std::size_t> CsvTable::find(std::string const& column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string const& CsvTable::text(std::size_t row, std::string const& column) const {
  const auto index = find(column);
  if (!index) fail_missing(in_quotes(column), {column});
  return rows_.at(row).fields[*index];
}

double CsvTable::number(std::size_t row, std::string const& column) const {
  std::string const& field = text(row, column);
  double value = 0;
  if (!parse(field, value) || !std::isfinite(value)) {
    fail(row, in_quotes(field) + " in column \"" + column + "\" is not a finite number");
  }
  if (value < 0) fail(row, in_quotes(field) + " in column \"" + column + "\" is negative");
  return value;
}

std::int64_t CsvTable::integer(std::size_t row, std::string const& column) const {
  std::string const& field = text(row, column);
  std::int64_t value = 0;
  if (!parse(field, value))
    fail(row, in_quotes(field) + " in column \"" + column + "\" is not a whole number");
  if (value < 0) fail(row, in_quotes(field) + " in column \"" + column + "\" is negative");
  return value;
}

std::string CsvTable::time_column() const {
  std::string found;
  for (auto const& unit : time_units) {
    if (!has(unit.column)) continue;
    if (!found.empty())
      fail_at(header_line_, "the header has both \"" + found + "\" and \"" + unit.column + "\"; keep one");
    found = unit.column;
  }
  if (found.empty()) fail_at(header_line_, "the column \"seconds\" is missing; add it, or \"ms\" or \"us\"");
  return found;
}

double CsvTable::seconds(std::size_t row) const {
  const std::string column = time_column();
  const auto unit = std::find_if(std::begin(time_units), std::end(time_units),
                                 [&](auto const& one) { return column == one.column; });
  const double seconds = number(row, column) * unit->seconds;
  if (seconds > most_seconds)
    fail(row, in_quotes(text(row, column)) + " in column \"" + column +
                  "\" is more than 1e30 seconds, which is too large to add up; check the unit");
  return seconds;
}

void CsvTable::expect_columns(std::initializer_list<char const*> required,
                              std::initializer_list<char const*> optional) const {
  std::vector<std::string> known(required.begin(), required.end());
  for (auto const& name : known) {
    if (name == "seconds") {
      if (std::ranges::none_of(columns_, is_time)) fail_missing("\"seconds\", \"ms\" or \"us\"", known);
      time_column();
    } else if (!has(name)) {
      fail_missing(in_quotes(name), known);
    }
  }
  known.insert(known.end(), optional.begin(), optional.end());
  for (auto const& name : columns_) {
    const std::string wanted = is_time(name) ? "seconds" : name;
    if (std::find(known.begin(), known.end(), wanted) == known.end()) {
      fail_at(header_line_, "unknown column " + in_quotes(name) + "; remove it, or correct its name");
    }
  }
}

void CsvTable::fail_missing(std::string const& quoted, std::vector<std::string> const& needed) const {
  fail_at(header_line_, "the column " + quoted + " is missing. This file has the columns " +
                            listed(columns_) + ", but the columns " + listed(needed) +
                            " are needed. Check whether it is the right file");
}

void CsvTable::expect_unique(std::string const& column) const {
  std::map<std::string, std::size_t> seen;
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto [first, added] = seen.emplace(text(row, column), rows_[row].line);
    if (!added) {
      fail(row, "duplicate " + column + " " + in_quotes(first->first) + ", which is also in line " +
                    std::to_string(first->second) + "; remove one");
    }
  }
}

void CsvTable::fail(std::size_t row, std::string const& message) const {
  fail_at(rows_.at(row).line, message);
}

void CsvTable::fail_at(std::size_t line, std::string const& message) const {
  throw std::invalid_argument(file_.string() + ":" + std::to_string(line) + ": " + message);
}

}  // namespace ddproxy::model
