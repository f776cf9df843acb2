// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "model/statistics/estimate.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/rank_sum.hpp"
#include "results/compare/comparison_parts.hpp"

namespace ddproxy::results {
namespace {

std::vector<double> log_medians(std::vector<CaseTimes const*> const& runs) {
  std::vector<double> logs;
  for (auto const* times : runs) logs.push_back(std::log(times->seconds));
  return logs;
}

std::vector<double> medians(std::vector<CaseTimes const*> const& runs) {
  std::vector<double> all;
  for (auto const* times : runs) all.push_back(times->seconds);
  return all;
}

// Returns the median over the samples of ln(new / base). After each sample of one build the other build took
// a sample, so a drift of the machine affects both and cancels.
double paired_log_ratio(CaseTimes const& base, CaseTimes const& next) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(base.samples.size(), next.samples.size()); ++k)
    if (const double ratio = std::log(next.samples[k] / base.samples[k]); std::isfinite(ratio))
      ratios.push_back(ratio);
  return ratios.empty() ? std::log(next.seconds / base.seconds) : model::median(std::move(ratios));
}

model::Estimate exponential(double middle, double low, double high) {
  return {std::exp(middle), std::exp(low), std::exp(high)};
}

Verdict verdict_of(FamilyMember const& member, double upper, bool can_reject, double tolerance) {
  if (!can_reject) return Verdict::undecided;
  if (member.p_slower <= family_level) return Verdict::slower;
  if (member.p_faster <= family_level) return Verdict::faster;
  return upper < std::log1p(tolerance) ? Verdict::unchanged : Verdict::undecided;
}

struct Side {
  double base, next;
};

CaseComparison row_of(std::string name, FamilyMember const& member, model::Estimate const& ratio,
                      double upper, Side seconds, FamilyTest const& test, double tolerance) {
  const double noise = test.relabellings > 2 ? member.deviation : std::nan("");  // unknown for one round
  CaseComparison row{std::move(name), seconds.base, seconds.next, ratio, noise, member.p_slower};
  row.verdict = verdict_of(member, upper, test.can_reject(), tolerance);
  if (member.noisy)
    row.doubt = "noise above 5 %: left out of 'all cases'";
  else if (row.verdict == Verdict::undecided && test.can_reject())
    row.doubt = "a slowdown of up to " + signed_percent(std::expm1(upper)) + " is not excluded";
  return row;
}

const Side no_seconds{std::nan(""), std::nan("")};

}  // namespace

void compare_rounds(std::vector<CommonCase> const& cases, Comparison& result) {
  result.unit = Unit::rounds;
  if (cases.empty()) return;
  result.base_units = result.next_units = cases[0].base.size();
  Logs ratios;
  for (auto const& one : cases) {
    auto& row = ratios.emplace_back();
    for (std::size_t r = 0; r < one.base.size(); ++r)
      row.push_back(paired_log_ratio(*one.base[r], *one.next[r]));
  }
  const FamilyTest test = test_rounds(ratios);
  const auto add = [&](std::string name, FamilyMember const& member, std::vector<double> const& values,
                       Side seconds) {
    const auto [low, high] = subset_interval(values, 0.025);
    const double upper = subset_interval(values, 0.05).high;
    result.cases.push_back(row_of(std::move(name), member, exponential(member.shift, low, high), upper,
                                  seconds, test, result.tolerance));
    return upper;
  };
  const double upper = add(all_cases, test.whole, mean_over_cases(ratios, test), no_seconds);
  for (std::size_t c = 0; c < cases.size(); ++c)
    add(cases[c].name, test.cases[c], ratios[c],
        {model::median(medians(cases[c].base)), model::median(medians(cases[c].next))});
  decide(test, upper, result);
}

void compare_sessions(std::vector<CommonCase> const& cases, Comparison& result) {
  result.unit = Unit::runs;
  if (cases.empty()) return;
  result.base_units = cases[0].base.size();
  result.next_units = cases[0].next.size();
  Logs base, next;
  for (auto const& one : cases) {
    base.push_back(log_medians(one.base));
    next.push_back(log_medians(one.next));
  }
  const FamilyTest test = test_runs(base, next);
  const auto end = [&](double alpha) {
    return model::rank_sum_quantile(result.base_units, result.next_units, alpha);
  };
  const auto two_sided = end(0.025), one_sided = end(0.05);
  const auto add = [&](std::string name, FamilyMember const& member, std::vector<double> const& from,
                       std::vector<double> const& to, Side seconds) {
    const model::Shift shift(from, to);
    const model::Estimate e = shift.interval(two_sided);
    const double upper = shift.interval(one_sided).high;
    result.cases.push_back(row_of(std::move(name), member, exponential(e.value, e.low, e.high), upper,
                                  seconds, test, result.tolerance));
    return upper;
  };
  const double upper =
      add(all_cases, test.whole, mean_over_cases(base, test), mean_over_cases(next, test), no_seconds);
  for (std::size_t c = 0; c < cases.size(); ++c)
    add(cases[c].name, test.cases[c], base[c], next[c],
        {model::median(medians(cases[c].base)), model::median(medians(cases[c].next))});
  result.warnings.push_back(
      "these files are not rounds of scripts/gate, so the verdict assumes one session, in which nothing but "
      "the build changed between the runs of the two sides; if the machine may have changed, use "
      "scripts/gate");
  decide(test, upper, result);
}

}  // namespace ddproxy::results
