// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>

#include "results/compare_parts.hpp"
#include "results/comparison.hpp"
#include "results/trends.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::vector<Run> read_history(std::filesystem::path const& folder) {
  auto runs = read_runs(history_files(folder));
  std::ranges::stable_sort(runs, {}, &Run::created);
  if (runs.size() < 6)
    throw std::invalid_argument("compare: --history " + folder.string() + ": " + std::to_string(runs.size()) +
                                " files *.h5; a change point needs 6 or more");
  return runs;
}

Row row_of(Change const& change, Run const& run, double tolerance) {
  Row row{{{change.name}, {run.created}, {run.path.filename().string()}, {run.revision}}, ""};
  append(row, {change.ratio.middle, change.ratio.low, change.ratio.high});
  if (change.is_last && change.ratio.middle > 1.0 + tolerance / 2.0)
    row.alarm = percent(change.ratio.middle - 1.0) + " slower since " + run.created;
  return row;
}

}  // namespace

std::vector<std::filesystem::path> history_files(std::filesystem::path const& folder) {
  if (!std::filesystem::is_directory(folder))
    throw std::invalid_argument("compare: --history " + folder.string() + ": there is no such folder");
  std::vector<std::filesystem::path> paths;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".h5") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

int show_history(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  const auto runs = read_history(*options.history);
  check_comparable(runs, options.allow);
  Table table{"history",
              {{"case", "case", Kind::text},
               {"since", "since", Kind::text},
               {"file", "file", Kind::text},
               {"revision", "revision", Kind::text},
               {"ratio", "ratio", Kind::ratio},
               {"low", "95 % from", Kind::ratio},
               {"high", "to", Kind::ratio}},
              {}};
  for (auto const& change : find_changes(runs))
    table.rows.push_back(row_of(change, runs[change.at], options.tolerance));
  auto doubts = doubts_of(runs, options.allow);
  for (auto const& run : runs)
    if (!run.complete) doubts.push_back(run.path.string() + ": the run was interrupted");
  finish(table, doubts, options, out, warnings);
  out << table.rows.size() << " changes in " << runs.size() << " files, " << runs.front().created << " to "
      << runs.back().created << '\n';
  return std::ranges::any_of(table.rows, [](Row const& row) { return !row.alarm.empty(); }) ? 1 : 0;
}

}  // namespace ddproxy::results
