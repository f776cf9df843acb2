// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/text/echo.hpp"
#include "results/compare/table.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char c : text) result.append(c == '"' ? 2 : 1, c);
  return result.append("\"");
}

std::string escaped(std::string const& text) {
  std::string result;
  for (char c : model::printable(text)) {  // XML allows no control characters
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
        out << exact(cell.number);
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

std::ptrdiff_t count(Table const& table, std::string Row::*message) {
  return std::ranges::count_if(table.rows, [=](Row const& row) { return !(row.*message).empty(); });
}

char const* name_of(Decision decision) {
  switch (decision) {
    case Decision::unchanged:
      return "unchanged";
    case Decision::slower:
      return "slower";
    default:
      return "undecided";
  }
}

void write_json(Table const& table, std::vector<std::string> const& warnings, std::ostream& out) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::object();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    auto& values = columns[table.columns[c].name] = nlohmann::ordered_json::array();
    for (auto const& row : table.rows) values.push_back(value_of(table.columns[c], row.cells[c]));
  }
  nlohmann::ordered_json all{{table.name, columns},
                             {"alarms", count(table, &Row::alarm)},
                             {"undecided", count(table, &Row::undecided)}};
  if (table.whole) {
    all["decision"] = name_of(table.whole->decision);
    all["reason"] = table.whole->reason;
  }
  for (auto const& [name, value] : table.figures)
    all[name] = std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  all["warnings"] = warnings;
  // File names may be invalid UTF-8.
  out << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

// Writes one JUnit test case. `result` is "failure", "skipped" or empty.
void write_case(std::ostream& out, std::string const& suite, std::string const& name,
                std::string const& result, std::string const& message) {
  out << "  <testcase classname=\"ddproxy." << suite << "\" name=\"" << escaped(name) << '"';
  if (result.empty())
    out << "/>\n";
  else
    out << ">\n    <" << result << " message=\"" << escaped(message) << "\"/>\n  </testcase>\n";
}

char const* junit_result(Decision decision, bool allow_undecided) {
  if (decision == Decision::unchanged) return "";
  return decision == Decision::undecided && allow_undecided ? "skipped" : "failure";
}

void write_junit(Table const& table, bool allow_undecided, std::ostream& out) {
  const std::string whole = table.whole ? junit_result(table.whole->decision, allow_undecided) : "";
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"ddproxy " << table.name
      << "\" tests=\"" << table.rows.size() + (table.whole ? 1 : 0) << "\" failures=\""
      << count(table, &Row::alarm) + (whole == "failure") << "\" errors=\"0\" skipped=\""
      << count(table, &Row::undecided) + (whole == "skipped") << "\">\n";
  if (table.whole) write_case(out, table.name, "decision", whole, table.whole->reason);
  for (auto const& row : table.rows) {
    const bool alarm = !row.alarm.empty();
    write_case(out, table.name, row.cells[0].text,
               alarm                   ? "failure"
               : row.undecided.empty() ? ""
                                       : "skipped",
               alarm ? row.alarm : row.undecided);
  }
  out << "</testsuite>\n</testsuites>\n";
}

void write_file(std::optional<std::filesystem::path> const& path,
                std::function<void(std::ostream&)> const& write) {
  if (!path) return;
  std::ostringstream text;
  write(text);
  write_text(*path, text.str());
}

}  // namespace

void write(Table const& table, std::vector<std::string> const& warnings, CompareOptions const& options) {
  write_file(options.csv, [&](std::ostream& out) { write_csv(table, out); });
  write_file(options.json, [&](std::ostream& out) { write_json(table, warnings, out); });
  write_file(options.junit, [&](std::ostream& out) { write_junit(table, options.allow_undecided, out); });
}

}  // namespace ddproxy::results
