// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/text/echo.hpp"
#include "results/compare/acknowledged.hpp"
#include "results/compare/compare_parts.hpp"
#include "results/history/history_rows.hpp"
#include "results/history/history_test.hpp"
#include "results/output/utc_time.hpp"

namespace ddproxy::results {
namespace {

void check_options(CompareOptions const& options) {
  if (!(options.at_least > 0.0))
    throw std::invalid_argument("compare: --at-least must be a positive share such as 10% or 0.1");
  if (options.acknowledge && options.acknowledge->empty())
    throw std::invalid_argument("compare: --acknowledge needs the reason as a text, which must not be empty");
  if (!options.acknowledge && !options.acknowledge_cases.empty())
    throw std::invalid_argument("compare: --acknowledge-case needs --acknowledge REASON");
}

bool is_chosen(std::string const& name, std::vector<std::string> const& chosen) {
  return chosen.empty() || std::ranges::find(chosen, name) != chosen.end();
}

// Accepts the open slowdowns (level_tracker.hpp) of the cases that --acknowledge-case names, or of all cases.
// Writes the acknowledgements to their file and prints them. Returns their number.
std::size_t acknowledge(HistoryTest& test, CompareOptions const& options, std::ostream& out) {
  for (auto const& name : options.acknowledge_cases)
    if (std::ranges::find(test.names(), name) == test.names().end())
      throw std::invalid_argument("compare: --acknowledge-case " + model::echo(name) +
                                  ": the history has no such case; the table lists the cases");
  auto all = read_acknowledged(*options.history);
  const std::size_t before = all.size();
  std::string lines;
  for (std::size_t s = 0; s < test.names().size(); ++s) {
    auto& tracker = test.trackers()[s];
    if (!tracker.slowdown() || !is_chosen(test.names()[s], options.acknowledge_cases)) continue;
    all.push_back({test.names()[s], test.history().nights.back().created,
                   tracker.newest(test.shape(s)).ratio - 1.0, utc_time_now(), *options.acknowledge});
    tracker.accept();
    lines += "acknowledged: " + all.back().name + ", " + percent(all.back().slowdown) +
             " slower, accepted up to the night of " + all.back().until + "\n";
  }
  if (all.size() > before) write_acknowledged(*options.history, all);
  out << lines;
  return all.size() - before;
}

}  // namespace

int show_history(CompareOptions const& options, std::ostream& out, std::ostream& warnings) {
  check_options(options);
  HistoryTest test(read_history(*options.history, options.allow), read_acknowledged(*options.history),
                   options.pin, options.tolerance);
  auto doubts = test.history().warnings;
  for (auto& doubt : doubts_of(test)) doubts.push_back(std::move(doubt));
  if (options.acknowledge && acknowledge(test, options, out) == 0)
    doubts.push_back("nothing was acknowledged, because none of the cases to be acknowledged is slower now");
  const Table table = table_of(test, options.at_least);
  finish(table, doubts, options, out, warnings);
  out << "the whole: the mean over the cases; seen after 1 night, after 5 nights: the smallest "
         "slowdown that is found after so many nights with a probability of 80 %\n"
      << table.whole->reason << '\n';
  return exit_code_of(table.whole->decision, options.allow_undecided);
}

}  // namespace ddproxy::results
