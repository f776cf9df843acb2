// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/text/echo.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string number_text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string for_people(Column const& column, Cell const& cell) {
  if (column.kind == Kind::text) return model::printable(cell.text);
  if (!std::isfinite(cell.number)) return "-";
  switch (column.kind) {
    case Kind::seconds:
      return number_text("%.6g s", cell.number);
    case Kind::share:
      return number_text("%.2f %%", cell.number * 100.0);
    case Kind::ratio:
      return number_text("%.4f", cell.number);
    case Kind::count:
      return number_text("%.0f", cell.number);
    default:
      return number_text("%.6g", cell.number);
  }
}

std::string padded(std::string const& text, std::size_t width, bool left) {
  const auto letters = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  const std::string space(width > letters ? width - letters : 0, ' ');
  return left ? text + space : space + text;
}

}  // namespace

void print(Table const& table, std::ostream& out) {
  std::vector<std::vector<std::string>> lines(1);
  for (auto const& column : table.columns) lines[0].push_back(column.heading);
  for (auto const& row : table.rows) {
    lines.emplace_back();
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      lines.back().push_back(for_people(table.columns[c], row.cells[c]));
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = 0;
    for (auto const& line : lines) width = std::max(width, line[c].size());
    for (auto& line : lines) line[c] = padded(line[c], width, table.columns[c].kind == Kind::text);
  }
  for (auto const& line : lines) {
    std::string text;
    for (auto const& cell : line) text.append(text.empty() ? "" : "  ").append(cell);
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace ddproxy::results
