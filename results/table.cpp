// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string for_people(Column const& column, Cell const& cell) {
  if (column.kind == Kind::text) return cell.text;
  if (!std::isfinite(cell.number)) return "-";
  switch (column.kind) {
    case Kind::seconds:
      return formatted("%.6g s", cell.number);
    case Kind::share:
      return formatted("%.2f %%", cell.number * 100.0);
    case Kind::ratio:
      return formatted("%.4f", cell.number);
    case Kind::count:
      return formatted("%.0f", cell.number);
    default:
      return formatted("%.6g", cell.number);
  }
}

std::string padded(std::string const& text, std::size_t width, bool left) {
  const auto letters = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  const std::string space(width > letters ? width - letters : 0, ' ');
  return left ? text + space : space + text;
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char c : text) result.append(c == '"' ? 2 : 1, c);
  return result.append("\"");
}

std::string escaped(std::string const& text) {
  std::string result;
  for (char c : text) {
    const char* entity = c == '&'   ? "&amp;"
                         : c == '<' ? "&lt;"
                         : c == '>' ? "&gt;"
                         : c == '"' ? "&quot;"
                                    : nullptr;
    entity ? result.append(entity) : result.append(1, c);
  }
  return result;
}

void write_csv(Table const& table, std::ostream& out) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) out << (c ? "," : "") << table.columns[c].name;
  out << '\n';
  for (auto const& row : table.rows) {
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      auto const& cell = row.cells[c];
      if (c > 0) out << ',';
      if (table.columns[c].kind == Kind::text)
        out << quoted(cell.text);
      else if (std::isfinite(cell.number))
        out << formatted("%.17g", cell.number);
    }
    out << '\n';
  }
}

nlohmann::ordered_json value_of(Column const& column, Cell const& cell) {
  if (column.kind == Kind::text) return cell.text;
  if (!std::isfinite(cell.number)) return nullptr;
  if (column.kind == Kind::count) return static_cast<std::int64_t>(cell.number);
  return cell.number;
}

void write_json(Table const& table, std::vector<std::string> const& warnings, std::ostream& out) {
  nlohmann::ordered_json columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    auto& values = columns[table.columns[c].name] = nlohmann::ordered_json::array();
    for (auto const& row : table.rows) values.push_back(value_of(table.columns[c], row.cells[c]));
  }
  const auto alarms = std::ranges::count_if(table.rows, [](Row const& row) { return !row.alarm.empty(); });
  out << nlohmann::ordered_json{{table.name, columns}, {"alarms", alarms}, {"warnings", warnings}}.dump(2)
      << '\n';
}

void write_junit(Table const& table, std::ostream& out) {
  const auto alarms = std::ranges::count_if(table.rows, [](Row const& row) { return !row.alarm.empty(); });
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"ddproxy " << table.name
      << "\" tests=\"" << table.rows.size() << "\" failures=\"" << alarms << "\" errors=\"0\">\n";
  for (auto const& row : table.rows) {
    out << "  <testcase classname=\"ddproxy." << table.name << "\" name=\"" << escaped(row.cells[0].text)
        << '"';
    if (row.alarm.empty())
      out << "/>\n";
    else
      out << ">\n    <failure message=\"" << escaped(row.alarm) << "\"/>\n  </testcase>\n";
  }
  out << "</testsuite>\n</testsuites>\n";
}

void write_file(std::optional<std::filesystem::path> const& path,
                std::function<void(std::ostream&)> const& write) {
  if (!path) return;
  std::ofstream file(*path);
  if (file) write(file);
  file.close();
  if (!file) throw std::invalid_argument("cannot write " + path->string());
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

void write(Table const& table, std::vector<std::string> const& warnings, CompareOptions const& options) {
  write_file(options.csv, [&](std::ostream& out) { write_csv(table, out); });
  write_file(options.json, [&](std::ostream& out) { write_json(table, warnings, out); });
  write_file(options.junit, [&](std::ostream& out) { write_junit(table, out); });
}

}  // namespace ddproxy::results
