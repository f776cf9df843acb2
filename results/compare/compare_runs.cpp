// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/compare_runs.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "results/compare/comparison_parts.hpp"
#include "results/run/run_file.hpp"

namespace ddproxy::results {
namespace {

// Warns of each run that continued an interrupted run whose file is not given. Each of the two files has only
// its own rounds.
void warn_of_resumed(Comparison& result, std::span<const Run> side) {
  for (auto const& run : side)
    if (!run.resumed_from.empty() && std::ranges::find(side, run.resumed_from, &Run::run_id) == side.end())
      result.warnings.push_back(run.path.string() + ": it continued the interrupted run " + run.resumed_from +
                                "; the " + std::to_string(run.rounds_before) +
                                (run.has_steps() ? " samples" : " rounds") +
                                " that were measured before do not count, unless you give the unfinished "
                                "files (FILE.part.N) as further runs of this side");
}

void warn_of_files(Comparison& result, std::span<const Run> base, std::span<const Run> next) {
  for (auto side : {base, next})
    for (auto const& run : side)
      if (!run.complete)
        result.warnings.push_back(run.path.string() +
                                  ": the run was interrupted; it is compared by the samples that it has");
  for (auto side : {base, next}) warn_of_resumed(result, side);
  std::vector<std::string> both;
  for (auto const& run : next)
    if (std::ranges::any_of(base, [&](Run const& other) { return is_same_run(run, other); }))
      both.push_back(run.path.string());
  if (both.empty()) return;
  const std::string more = both.size() > 1 ? " and " + std::to_string(both.size() - 1) + " more" : "";
  result.warnings.push_back(both.front() + more +
                            ": the same run is on both sides, so the comparison cannot show whether two "
                            "builds differ; give files of two builds");
}

using RoundName = std::pair<std::string, std::int64_t>;  // session and number

std::map<RoundName, Run const*> by_round(std::span<const Run> runs) {
  std::map<RoundName, Run const*> all;
  for (auto const& run : runs)
    if (!run.session.empty()) all[{run.session, run.round}] = &run;
  return all;
}

bool all_rounds(std::span<const Run> runs) {
  return std::ranges::none_of(runs, [](Run const& run) { return run.session.empty(); });
}

// Holds pairs of runs: base[k] and next[k] belong to the same round. Both lists are empty if some run belongs
// to no round, or if a round has two runs on one side. A round with a run on one side only is left out.
struct Rounds {
  std::vector<Run> base, next;
};

Rounds pair_rounds(std::span<const Run> base, std::span<const Run> next, std::vector<std::string>& warnings) {
  const auto b = by_round(base), n = by_round(next);
  if (b.size() != base.size() || n.size() != next.size()) return {};
  Rounds rounds;
  for (auto const& [name, run] : b)
    if (const auto other = n.find(name); other != n.end()) {
      rounds.base.push_back(*run);
      rounds.next.push_back(*other->second);
    }
  const auto unpaired = b.size() + n.size() - 2 * rounds.base.size();
  if (unpaired > 0 && !rounds.base.empty())
    warnings.push_back(std::to_string(unpaired) + (unpaired == 1 ? " file is" : " files are") +
                       " left out, because the other side has no file of the same round");
  return rounds;
}

bool is_measured(CaseTimes const* times) {
  return times && std::isfinite(times->seconds);
}

// Returns the names of all cases that some run measured, in the order in which they appear.
std::vector<std::string> measured_names(std::span<const Run> base, std::span<const Run> next) {
  std::vector<std::string> names;
  for (auto side : {base, next})
    for (auto const& run : side)
      for (auto const& one : run.cases)
        if (is_measured(&one) && std::ranges::find(names, one.name) == names.end()) names.push_back(one.name);
  return names;
}

// Holds the cases that every run measured, and the names of the cases that only some of the runs measured.
struct CommonCases {
  std::vector<CommonCase> cases;
  std::vector<std::string> left_out;
};

CommonCases common_cases(std::span<const Run> base, std::span<const Run> next) {
  CommonCases all;
  for (auto const& name : measured_names(base, next)) {
    CommonCase one{name, {}, {}};
    for (auto const& run : base) one.base.push_back(run.find(name));
    for (auto const& run : next) one.next.push_back(run.find(name));
    if (std::ranges::all_of(one.base, is_measured) && std::ranges::all_of(one.next, is_measured))
      all.cases.push_back(std::move(one));
    else
      all.left_out.push_back(name);
  }
  return all;
}

std::string left_out_text(std::vector<std::string> const& names) {
  const std::string more = names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "";
  return names.front() + more + (more.empty() ? " was" : " were") + " measured by only some of the runs";
}

Comparison compare_common(std::span<const Run> base, std::span<const Run> next, double tolerance) {
  Comparison result;
  result.tolerance = tolerance;
  warn_of_files(result, base, next);
  const Rounds rounds = pair_rounds(base, next, result.warnings);
  if (rounds.base.empty() && all_rounds(base) && all_rounds(next))
    throw std::invalid_argument(
        "compare: the rounds of scripts/gate cannot be paired, so a drift of the machine would look like a "
        "slowdown. Either the two sides have no round in common, or one side has two files of the same "
        "round. The first files are " +
        base[0].path.string() + " and " + next[0].path.string() +
        "; give each file of one start of scripts/gate once, on its own side");
  if (!rounds.base.empty()) {
    auto [cases, left_out] = common_cases(rounds.base, rounds.next);
    result.left_out = std::move(left_out);
    compare_rounds(cases, result);
    return result;
  }
  auto [cases, left_out] = common_cases(base, next);
  result.left_out = std::move(left_out);
  if (base.size() == 1 && next.size() == 1)
    compare_samples(cases, base[0].is_twin && next[0].is_twin, result);
  else
    compare_sessions(cases, result);
  return result;
}

}  // namespace

Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance,
                        MissingCases missing) {
  Comparison result = compare_common(base, next, tolerance);
  if (result.left_out.empty()) return result;
  const std::string text = left_out_text(result.left_out);
  if (missing == MissingCases::undecided && result.outcome.decision == Decision::unchanged)
    result.outcome = {
        Decision::undecided,
        "undecided: " + text +
            ", so a slowdown of these cases is not excluded; measure the same cases on both sides, or "
            "leave out the other cases with --allow sweep"};
  else
    result.warnings.push_back(text + ", so the comparison leaves " +
                              (result.left_out.size() > 1 ? "them" : "it") + " out");
  return result;
}

}  // namespace ddproxy::results
