// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/trends.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/statistics/median_interval.hpp"

namespace ddproxy::results {
namespace {

// Returns whether the figure of merit may use the time of a case as its T. In a sweep these are the cases of
// the strategy `bucketed`; Case::is_bucketed() (miniapp/input/cases.hpp) has the same rule. In a run of
// `ddproxy step` it is only the whole step.
bool can_be_best(CaseTimes const& one) {
  return one.ours && std::isfinite(one.seconds) &&
         (one.strategy == "bucketed" || (one.strategy == "step" && one.name == "step"));
}

CaseTimes const* best_case(Run const& run) {
  CaseTimes const* best = nullptr;
  for (auto const& one : run.cases)
    if (can_be_best(one) && (!best || one.seconds < best->seconds)) best = &one;
  return best;
}

// Returns the figures of merit of the runs. For a single run it returns one figure of merit for each sample.
std::vector<double> merits(std::span<Run const* const> runs) {
  std::vector<double> values;
  if (runs.size() == 1 && best_case(*runs[0]))
    for (double sample : best_case(*runs[0])->samples) values.push_back(runs[0]->tokens / sample);
  else
    for (Run const* run : runs) values.push_back(figure_of_merit(*run));
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values;
}

}  // namespace

double figure_of_merit(Run const& run) {
  CaseTimes const* best = best_case(run);
  return best ? run.tokens / best->seconds : std::nan("");
}

bool MachineMerit::has_interval() const {
  return std::isfinite(tokens_per_s.low) && std::isfinite(tokens_per_s.high);
}

bool overlap(MachineMerit const& a, MachineMerit const& b) {
  if (!a.has_interval() || !b.has_interval()) return false;
  return a.tokens_per_s.low <= b.tokens_per_s.high && b.tokens_per_s.low <= a.tokens_per_s.high;
}

std::vector<MachineMerit> rank_machines(std::span<const Run> runs) {
  std::map<std::tuple<std::string, std::string, bool>, std::vector<Run const*>> offers;
  for (auto const& run : runs) offers[{run.label, run.machine, run.replay}].push_back(&run);
  std::vector<MachineMerit> ranked;
  for (auto const& [offer, its_runs] : offers) {
    auto const& [label, machine, replay] = offer;
    const auto values = merits(its_runs);
    const model::Estimate none{std::nan(""), std::nan(""), std::nan("")};
    ranked.push_back({label.empty() ? machine : label + ": " + machine, replay, its_runs, values.size(),
                      values.empty() ? none : model::median_interval(values, 0.025)});
  }
  const auto key = [](MachineMerit const& m) {
    return std::isnan(m.tokens_per_s.value) ? 0.0 : -m.tokens_per_s.value;
  };
  std::ranges::stable_sort(ranked, {}, key);
  return ranked;
}

}  // namespace ddproxy::results
