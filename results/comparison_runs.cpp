// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "results/comparison.hpp"

namespace ddproxy::results {
namespace {

std::vector<double> finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !(std::isfinite(v) && v > 0.0); });
  return values;
}

// All values of one case on one side, in the order of the runs or samples.
std::vector<double> values_of(std::span<const Run> runs, std::string const& name, bool of_samples) {
  std::vector<double> values;
  for (auto const& run : runs) {
    CaseTimes const* found = run.find(name);
    if (found && of_samples) values.insert(values.end(), found->samples.begin(), found->samples.end());
    if (!of_samples) values.push_back(found ? found->seconds : std::nan(""));
  }
  return values;
}

// Geometric mean over the cases of each run or sample; nothing where the cases differ in length.
std::vector<double> geometric_mean(std::vector<std::vector<double>> const& cases) {
  std::vector<double> mean(cases.front().size(), 0.0);
  for (auto const& values : cases) {
    if (values.size() != mean.size()) return {};
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += std::log(values[k]) / static_cast<double>(cases.size());
  }
  for (double& value : mean) value = std::exp(value);
  return finite(mean);
}

double geometric_mean_of_fastest(std::vector<Series> const& cases) {
  double mean = 0.0;
  for (auto const& one : cases) mean += std::log(one.fastest) / static_cast<double>(cases.size());
  return std::exp(mean);
}

std::vector<Series> series_of(std::span<const Run> base, std::span<const Run> next, Comparison& result) {
  std::vector<Series> all;
  std::vector<std::vector<double>> base_values, next_values;
  for (auto const& run_case : base[0].cases) {
    auto const& name = run_case.name;
    const auto b = values_of(base, name, result.of_samples), n = values_of(next, name, result.of_samples);
    if (finite(b).empty() || finite(n).empty()) {
      result.warnings.push_back(name + ": was not measured on both sides and is left out");
      continue;
    }
    Series series{name, finite(b), finite(n)};
    if (result.of_samples) series.fastest = std::ranges::min(series.next) / std::ranges::min(series.base);
    all.push_back(std::move(series));
    base_values.push_back(b);
    next_values.push_back(n);
  }
  if (all.size() < 2) return all;
  Series mean{"all cases", geometric_mean(base_values), geometric_mean(next_values)};
  if (mean.base.empty() || mean.next.empty()) return all;
  if (result.of_samples) mean.fastest = geometric_mean_of_fastest(all);
  all.push_back(std::move(mean));
  return all;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", share * 100.0);
  return text;
}

std::string remedy(Comparison const& result, std::size_t needed) {
  if (needed < most_values) return "it takes " + std::to_string(needed) + " " + result.unit() + " a side";
  return result.of_samples ? "no number of samples shows it; give several runs a side (--base, --new)"
                           : "no feasible number of runs shows it; quieten the machine";
}

void warn_of_few(Comparison& result) {
  const auto few = result.count(Verdict::too_few);
  if (few > 0)
    result.warnings.push_back("no alarm is possible with so few " + result.unit() + " in " +
                              std::to_string(few) + " of " + std::to_string(result.cases.size()) +
                              " cases: it takes " + std::to_string(result.fewest) + " a side");
}

void warn_of_noise(Comparison& result) {
  const std::size_t least = std::min(result.base_units, result.next_units);
  const auto hides = [&](auto const& c) { return c.verdict != Verdict::too_few && c.needed > least; };
  const auto noisy = std::ranges::count_if(result.cases, hides);
  if (noisy == 0) return;
  const auto worst = std::ranges::max_element(result.cases, {}, &CaseComparison::needed);
  result.warnings.push_back("the noise hides a slowdown of " + percent(result.tolerance) + " in " +
                            std::to_string(noisy) + " of " + std::to_string(result.cases.size()) +
                            " cases; worst is " + worst->name + " (standard deviation " +
                            percent(worst->noise) + "): " + remedy(result, worst->needed));
}

void warn_of_files(Comparison& result, std::span<const Run> base, std::span<const Run> next) {
  for (auto side : {base, next})
    for (auto const& run : side)
      if (!run.complete) result.warnings.push_back(run.path.string() + ": the run was interrupted");
  std::vector<std::string> both;
  for (auto const& run : next)
    if (std::ranges::any_of(base, [&](Run const& other) { return is_same_run(run, other); }))
      both.push_back(run.path.string());
  if (!both.empty())
    result.warnings.push_back(both.front() +
                              (both.size() > 1 ? " and " + std::to_string(both.size() - 1) + " more" : "") +
                              ": the same run is on both sides");
}

}  // namespace

Comparison compare_runs(std::span<const Run> base, std::span<const Run> next, double tolerance) {
  Comparison result;
  result.tolerance = tolerance;
  result.of_samples = base.size() == 1 && next.size() == 1;
  warn_of_files(result, base, next);
  if (result.of_samples)
    result.warnings.push_back(
        "one file a side: run-to-run spread is unknown, the intervals hold for these two runs only");
  const auto series = series_of(base, next, result);
  if (series.empty()) return result;
  result.base_units = series.front().base.size();
  result.next_units = series.front().next.size();
  result.fewest = fewest_values(family_error / static_cast<double>(series.size()));
  result.cases = compare_series(series, tolerance);
  warn_of_few(result);
  warn_of_noise(result);
  return result;
}

}  // namespace ddproxy::results
