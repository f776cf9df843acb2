// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "results/compare_parts.hpp"
#include "results/trends.hpp"

namespace ddproxy::results {
namespace {

using Kind = Column::Kind;

std::string const& value_of(Run const& run, std::string_view key) {
  return std::ranges::find(run.identity, key, [](auto const& pair) { return pair.first; })->second;
}

// What makes two figures of merit hard to compare although they may be: a doubt for each way in which the
// runs differ from the first.
std::vector<std::string> differing(std::span<const Run> runs, std::vector<std::string> const& allowed) {
  std::vector<std::string> doubts;
  for (auto key : {"sweep", "mode", "pieces", "buffers", "priority"}) {
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    std::set<std::string> seen{value_of(runs[0], key), ""};
    for (auto const& run : runs)
      if (auto const& value = value_of(run, key);
          !value_of(runs[0], key).empty() && seen.insert(value).second)
        doubts.push_back(runs[0].path.string() + " and " + run.path.string() + " differ in the " + key +
                         ", so their figures of merit may: " + against(key, value_of(runs[0], key), value) +
                         " (--allow " + key + ")");
  }
  return doubts;
}

std::vector<std::string> doubts_of(MachineMerit const& m) {
  if (m.values == 0)
    return {m.machine +
            ": no figure of merit; no bucketed case was measured, or the files lack their tokens"};
  const std::string unit = m.runs == 1 ? "sample" : "run";
  const std::string count = std::to_string(m.values) + " " + unit + (m.values == 1 ? "" : "s");
  if (!std::isfinite(m.tokens_per_s.low)) return {m.machine + ": " + count + ", an interval takes six"};
  if (m.runs == 1) return {m.machine + ": one run, the interval is that of its " + count};
  return {};
}

}  // namespace

int order_machines(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  auto paths = options.base;
  paths.insert(paths.end(), options.next.begin(), options.next.end());
  if (paths.empty()) throw std::invalid_argument("compare: --rank-machines needs files");
  const auto runs = read_runs(paths);
  auto allowed = options.allow;
  for (auto key : {"ranks", "device", "sweep", "mode", "threads", "pieces", "buffers", "priority"})
    allowed.emplace_back(key);
  check_comparable(runs, allowed);
  Table table{"machines",
              {{"machine", "machine", Kind::text},
               {"runs", "runs", Kind::count},
               {"tokens_per_s", "tokens/s", Kind::number},
               {"low", "95 % from", Kind::number},
               {"high", "to", Kind::number}},
              {}};
  auto doubts = differing(runs, options.allow);
  for (auto const& m : rank_machines(runs)) {
    Row row{{{m.machine}, {"", static_cast<double>(m.runs)}}, ""};
    append(row, {m.tokens_per_s.middle, m.tokens_per_s.low, m.tokens_per_s.high});
    table.rows.push_back(std::move(row));
    for (auto& doubt : doubts_of(m)) doubts.push_back(std::move(doubt));
  }
  finish(table, doubts, options, out, warnings);
  return 0;
}

}  // namespace ddproxy::results
