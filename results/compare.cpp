// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "model/echo.hpp"
#include "results/acknowledged.hpp"
#include "results/compare_parts.hpp"
#include "results/history.hpp"
#include "results/output_files.hpp"

namespace ddproxy::results {
namespace {

std::vector<std::filesystem::path> inputs_of(CompareOptions const& options) {
  if (options.history) {
    auto paths = history_files(*options.history);
    paths.push_back(acknowledged_file(*options.history));
    return paths;
  }
  auto paths = options.base;
  paths.insert(paths.end(), options.next.begin(), options.next.end());
  return paths;
}

// What would only fail when all is compared, or destroy what is to be read.
void check_outputs(CompareOptions const& options) {
  auto taken = inputs_of(options);
  for (auto const& output : {options.json, options.csv, options.junit, options.night}) {
    if (!output) continue;
    for (auto const& other : taken)
      if (is_same_file(*output, other))
        throw std::invalid_argument(
            "compare: " + output->string() +
            " is to be written, but also read or written otherwise; give another file");
    check_writable(*output);
    taken.push_back(*output);
  }
}

}  // namespace

std::vector<Run> read_runs(std::vector<std::filesystem::path> const& paths) {
  std::vector<Run> runs;
  for (auto const& path : paths) runs.push_back(read_run(path));
  check_distinct(runs);
  return runs;
}

void append(Row& row, std::initializer_list<double> values) {
  for (double value : values) row.cells.push_back({"", value > 0.0 ? value : std::nan("")});
}

void finish(Table const& table, std::vector<std::string> const& doubts, CompareOptions const& options,
            std::ostream& out, std::ostream& warnings) {
  print(table, out);
  for (auto const& doubt : doubts) warnings << "warning: " << model::printable(doubt) << '\n';
  write(table, doubts, options);
}

int compare(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  check_keys(options.allow);
  check_outputs(options);
  if (options.dry_run) return 0;
  if (options.history) return show_history(options, out, warnings);
  if (options.rank_machines) return order_machines(options, out, warnings);
  return compare_two_sides(options, out, warnings);
}

std::pair<std::filesystem::path, std::string> split_label(std::string const& text) {
  std::error_code absent;
  const auto sign = text.find('=');
  if (sign == std::string::npos || std::filesystem::exists(text, absent)) return {text, ""};
  if (sign == 0 || sign + 1 == text.size())
    throw std::invalid_argument("--rank-machines: '" + model::echo(text) + "' lacks its " +
                                (sign ? "file" : "label") + ": give FILE or LABEL=FILE");
  return {text.substr(sign + 1), text.substr(0, sign)};
}

double parse_share(std::string const& option, std::string const& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_percent = rest != end && *rest == '%' && rest + 1 == end;
  if (is_percent) value /= 100.0;
  if (error != std::errc() || (rest != end && !is_percent) || !(value > 0.0 && value < 1.0))
    throw std::invalid_argument(option + " " + model::echo(text) +
                                ": give a share above 0 and below 100 %, such as 2% or 0.02");
  return value;
}

}  // namespace ddproxy::results
