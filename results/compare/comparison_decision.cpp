// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "model/statistics/estimate.hpp"
#include "model/statistics/student.hpp"
#include "results/compare/comparison_parts.hpp"

namespace ddproxy::results {
namespace {

constexpr std::size_t fewest_runs = 5;  // on each side; there are then C(10, 5) = 252 relabellings

// Returns the factor f in: squared standard error of the mean shift = f x (standard deviation of a unit)^2 /
// n, where n is the number of rounds, or of runs on each side.
double error_factor(Unit unit) {
  return unit == Unit::rounds ? 1.0 : 2.0;
}

// Returns the number of rounds, or of runs on each side, with which equal builds are found unchanged in 90 of
// 100 comparisons.
std::size_t units_needed(double deviation, double tolerance, Unit unit) {
  const double root = (model::normal_90 + model::normal_95) * deviation / std::log1p(tolerance);
  const double needed = std::ceil(error_factor(unit) * root * root);
  return static_cast<std::size_t>(std::clamp(needed, 1.0, 1e6));
}

std::string interval_text(model::Estimate const& ratio) {
  if (!std::isfinite(ratio.low)) return "no interval";
  return "95 % interval " + signed_percent(ratio.low - 1.0) + " to " + signed_percent(ratio.high - 1.0);
}

std::string one_slower_text(CaseComparison const& row) {
  char p[32];
  std::snprintf(p, sizeof p, "%.2g", row.p);
  return row.name + " by " + percent(row.ratio.value - 1.0) + " (" + interval_text(row.ratio) + ", p = " + p +
         ")";
}

// Returns a text with the three largest slowdowns, and the number of the others.
std::string slower_text(Comparison const& result) {
  std::vector<CaseComparison const*> slower;
  for (auto const& row : result.cases)
    if (row.verdict == Verdict::slower) slower.push_back(&row);
  std::ranges::sort(slower, std::greater(), [](auto const* row) { return row->ratio.value; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, slower.size()); ++k)
    text += (k ? "; " : "slower: ") + one_slower_text(*slower[k]);
  return slower.size() > 3 ? text + "; and " + std::to_string(slower.size() - 3) + " more cases" : text;
}

std::string unchanged_text(Comparison const& result, double upper) {
  const double middle = result.cases[0].ratio.value - 1.0;
  return "unchanged: all cases together differ by " + signed_percent(middle) + ", and at most by " +
         signed_percent(std::expm1(upper)) + " (one-sided 95 % limit), which is below the tolerance of " +
         percent(result.tolerance);
}

std::string too_few_text(Comparison const& result) {
  const bool rounds = result.unit == Unit::rounds;
  const std::string has =
      rounds ? std::to_string(result.base_units) + (result.base_units == 1 ? " round" : " rounds")
             : std::to_string(result.base_units) + " and " + std::to_string(result.next_units) + " runs";
  return "undecided: " + has + " cannot decide at a significance level of 1 %; give " +
         (rounds ? std::to_string(fewest_rounds) + " rounds or more"
                 : std::to_string(fewest_runs) + " runs or more on each side");
}

std::string undecided_text(FamilyTest const& test, double upper, Comparison const& result) {
  const auto units = std::max(result.base_units, result.next_units);
  const auto needed = std::max(units + 1, units_needed(test.whole.deviation, result.tolerance, result.unit));
  return "undecided: no significant slowdown was found, but all cases together may be slower by up to " +
         signed_percent(std::expm1(upper)) + " (one-sided 95 % limit), which is not below the tolerance of " +
         percent(result.tolerance) + "; about " + std::to_string(needed) + " " + name_of(result.unit) +
         (result.unit == Unit::runs ? " on each side" : "") + " would probably decide";
}

}  // namespace

void decide(FamilyTest const& test, double upper, Comparison& result) {
  if (test.can_reject()) {
    result.smallest_of_all = std::expm1(test.smallest_found(test.whole));
    result.smallest_of_one = std::expm1(test.smallest_found_of_a_case());
  }
  if (!test.can_reject())
    result.outcome = {Decision::undecided, too_few_text(result)};
  else if (test.rejects())
    result.outcome = {Decision::slower, slower_text(result)};
  else if (upper < std::log1p(result.tolerance))
    result.outcome = {Decision::unchanged, unchanged_text(result, upper)};
  else
    result.outcome = {Decision::undecided, undecided_text(test, upper, result)};
}

}  // namespace ddproxy::results
