// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/compare_parts.hpp"

#include <cmath>

#include "model/text/echo.hpp"

namespace ddproxy::results {

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

}  // namespace ddproxy::results
