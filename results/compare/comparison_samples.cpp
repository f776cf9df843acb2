// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/statistics/deviation.hpp"
#include "model/statistics/estimate.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/rank_sum.hpp"
#include "results/compare/comparison_parts.hpp"

namespace ddproxy::results {
namespace {

struct Samples {
  std::vector<double> base, next;  // logarithms of seconds
};

std::vector<double> finite_logs(CaseTimes const& times) {
  std::vector<double> logs;
  for (double seconds : times.samples)
    if (std::isfinite(seconds)) logs.push_back(std::log(seconds));
  return logs;
}

// Returns how much the host delays replayed samples, as a logarithm. Each case of each side has the spread
// ln(slowest sample / fastest sample). The result is the 90 % quantile of these spreads.
double host_delay(std::vector<Samples> const& cases) {
  std::vector<double> spreads;
  for (auto const& one : cases)
    for (auto const* side : {&one.base, &one.next}) {
      const auto [low, high] = std::ranges::minmax(*side);
      spreads.push_back(high - low);
    }
  return model::quantile(spreads, 0.9);
}

// Returns the verdict on a replayed case. The case cannot be faster than its table says; the host can only
// delay it. So the verdict comes from two differences between the sides: that of the fastest samples and that
// of the medians. The case is slower (or faster) if both differences exceed `delay`, the delay by the host,
// and half of the tolerance. Otherwise the case is unchanged if both differences are below the tolerance, and
// undecided if not.
Verdict verdict_of_replay(Samples const& s, double delay, double tolerance) {
  const double limit = std::max(delay, std::log1p(tolerance / 2.0));
  const double fastest = std::ranges::min(s.next) - std::ranges::min(s.base);
  const double middle = model::median(s.next) - model::median(s.base);
  if (std::min(fastest, middle) > limit) return Verdict::slower;
  if (std::max(fastest, middle) < -limit) return Verdict::faster;
  return std::max(fastest, middle) < std::log1p(tolerance) ? Verdict::unchanged : Verdict::undecided;
}

CaseComparison row_of(CommonCase const& one, Samples const& s) {
  const auto quantile = model::rank_sum_quantile(s.base.size(), s.next.size(), 0.025);
  const model::Estimate e = model::Shift(s.base, s.next).interval(quantile);
  return {one.name,
          one.base[0]->seconds,
          one.next[0]->seconds,
          {std::exp(e.value), std::exp(e.low), std::exp(e.high)},
          model::pooled_deviation(s.base, s.next)};
}

void decide_replay(Comparison& result) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(result.cases, verdict, &CaseComparison::verdict);
  };
  const auto of_all = " of the " + std::to_string(result.cases.size()) + " cases (simulated times)";
  if (const auto n = count(Verdict::slower); n > 0) {
    const auto worst =
        std::ranges::max_element(result.cases, {}, [](auto const& c) { return c.ratio.value; });
    result.outcome = {Decision::slower, "slower: " + std::to_string(n) + of_all + "; the slowest is " +
                                            worst->name + " by " + percent(worst->ratio.value - 1.0)};
  } else if (const auto open = count(Verdict::undecided); open > 0) {
    result.outcome = {Decision::undecided,
                      "undecided: " + std::to_string(open) + of_all +
                          " may be slower, but the host delays samples too much to be certain; run again "
                          "on a quieter machine"};
  } else {
    result.outcome = {Decision::unchanged,
                      "unchanged: none" + of_all + " is more than " + percent(result.tolerance) + " slower"};
  }
}

// Says how the cases of two files differ. A speedup that percent() prints as 0 counts as none.
std::string found_in(std::vector<CaseComparison> const& cases) {
  const auto [best, worst] =
      std::ranges::minmax_element(cases, {}, [](auto const& c) { return c.ratio.value; });
  const double change = worst->ratio.value - 1.0;
  if (change > 0.0)
    return "the largest slowdown in these two files is " + percent(change) + " in " + worst->name;
  const std::string none = "no case is slower in these two files", zero = percent(0.0);
  if (percent(1.0 - best->ratio.value) == zero) return none + ", and none is faster";
  if (percent(0.0 - change) == zero) return none;
  return none + "; the smallest speedup is " + percent(0.0 - change) + " in " + worst->name;
}

void decide_real(Comparison& result) {
  result.outcome = {
      Decision::undecided,
      "undecided: one file on each side does not show by how much two runs of the same build differ; " +
          found_in(result.cases) + "; to decide, run scripts/gate with " + std::to_string(fewest_rounds) +
          " rounds, or give compare 5 files on each side"};
}

}  // namespace

void compare_samples(std::vector<CommonCase> const& cases, bool replay, Comparison& result) {
  result.unit = Unit::samples;
  if (cases.empty()) return;
  std::vector<Samples> samples;
  for (auto const& one : cases) samples.push_back({finite_logs(*one.base[0]), finite_logs(*one.next[0])});
  result.base_units = samples[0].base.size();
  result.next_units = samples[0].next.size();
  const double delay = host_delay(samples);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    CaseComparison row = row_of(cases[c], samples[c]);
    if (replay) row.verdict = verdict_of_replay(samples[c], delay, result.tolerance);
    if (row.verdict == Verdict::undecided)
      row.doubt = replay ? "the fastest sample or the median is slower by more than the tolerance, but the "
                           "reason may be the host, which delays samples by about " +
                               percent(std::expm1(delay))
                         : "one file on each side is too few";
    result.cases.push_back(std::move(row));
  }
  if (replay)
    decide_replay(result);
  else
    decide_real(result);
}

}  // namespace ddproxy::results
