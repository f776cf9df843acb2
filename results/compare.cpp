// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "results/compare_parts.hpp"

namespace ddproxy::results {

std::vector<Run> read_runs(std::vector<std::filesystem::path> const& paths) {
  std::vector<Run> runs;
  for (auto const& path : paths) runs.push_back(read_run(path));
  return runs;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", share * 100.0);
  return text;
}

void append(Row& row, std::initializer_list<double> values) {
  for (double value : values) row.cells.push_back({"", value > 0.0 ? value : std::nan("")});
}

void finish(Table const& table, std::vector<std::string> const& doubts, CompareOptions const& options,
            std::ostream& out, std::ostream& warnings) {
  print(table, out);
  for (auto const& doubt : doubts) warnings << "warning: " << doubt << '\n';
  write(table, doubts, options);
}

int compare(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  if (options.history) return show_history(options, out, warnings);
  if (options.rank_machines) return order_machines(options, out, warnings);
  return compare_two_sides(options, out, warnings);
}

double parse_tolerance(std::string const& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_percent = rest != end && *rest == '%' && rest + 1 == end;
  if (is_percent) value /= 100.0;
  if (error != std::errc() || (rest != end && !is_percent) || !(value > 0.0 && value < 1.0))
    throw std::invalid_argument("--tolerance " + text + ": give a share such as 2% or 0.02");
  return value;
}

}  // namespace ddproxy::results
