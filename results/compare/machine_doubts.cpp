// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/machine_doubts.hpp"

#include <algorithm>
#include <iterator>

#include "model/text/first_three.hpp"

namespace ddproxy::results {
namespace {

using Texts = std::vector<std::string>;
using Machines = std::vector<MachineMerit>;

bool has_one_run(MachineMerit const& m) {
  return m.runs.size() == 1;
}

// Returns for example "A: replay, 16 ranks, vm (5 samples)".
std::string with_values(MachineMerit const& m) {
  const std::string unit = has_one_run(m) ? "sample" : "run";
  return m.machine + " (" + std::to_string(m.values) + " " + unit + (m.values == 1 ? ")" : "s)");
}

std::string all_with_values(Machines const& machines) {
  Texts texts;
  std::ranges::transform(machines, std::back_inserter(texts), with_values);
  return model::first_three(texts);
}

std::string no_merit_text(Machines const& machines) {
  Texts names;
  for (auto const& m : machines) names.push_back(m.machine);
  return "there is no figure of merit for " + model::first_three(names) +
         ". No bucketed case was measured, or the files lack the number of ranks, the batch or the "
         "length of the sequences. Give files of runs with bucketed cases";
}

std::string few_values_text(Machines const& machines) {
  return "the place in the ranking is uncertain for " + all_with_values(machines) +
         ". The 95 % interval of the median needs at least 6 runs, or at least 6 samples if there is only "
         "one run. Give 6 runs of each machine" +
         (std::ranges::any_of(machines, has_one_run) ? ", or raise [sweep] samples" : "");
}

std::string single_runs_text(Machines const& machines) {
  return "there is only one run of " + all_with_values(machines) +
         ". So the 95 % interval covers the samples of one run and not the spread between runs. Give 6 runs "
         "or more of each machine";
}

Texts pairs_that_overlap(std::span<const MachineMerit> ranked) {
  Texts pairs;
  for (std::size_t a = 0; a < ranked.size(); ++a)
    for (std::size_t b = a + 1; b < ranked.size(); ++b)
      if (overlap(ranked[a], ranked[b])) pairs.push_back(ranked[a].machine + " and " + ranked[b].machine);
  return pairs;
}

}  // namespace

Texts machine_doubts(std::span<const MachineMerit> ranked) {
  Machines fewest_first(ranked.begin(), ranked.end()), without, few, single;
  std::ranges::stable_sort(fewest_first, {}, &MachineMerit::values);
  for (auto const& m : fewest_first) {
    if (m.values == 0)
      without.push_back(m);
    else if (!m.has_interval())
      few.push_back(m);
    else if (has_one_run(m))
      single.push_back(m);
  }
  Texts doubts;
  if (!without.empty()) doubts.push_back(no_merit_text(without));
  if (!few.empty()) doubts.push_back(few_values_text(few));
  if (!single.empty()) doubts.push_back(single_runs_text(single));
  if (const auto pairs = pairs_that_overlap(ranked); !pairs.empty())
    doubts.push_back("machines whose 95 % intervals overlap cannot be told apart: " +
                     model::first_three(pairs) + ". Give more runs of each");
  return doubts;
}

}  // namespace ddproxy::results
