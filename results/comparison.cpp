// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace ddproxy::results {
namespace {

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

Estimate exponential(Estimate e) {
  return {std::exp(e.middle), std::exp(e.low), std::exp(e.high)};
}

double squares(std::vector<double> const& values) {
  double mean = 0.0, sum = 0.0;
  for (double v : values) mean += v / static_cast<double>(values.size());
  for (double v : values) sum += (v - mean) * (v - mean);
  return sum;
}

double pooled_deviation(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() + b.size() < 3) return std::nan("");
  return std::sqrt((squares(a) + squares(b)) / static_cast<double>(a.size() + b.size() - 2));
}

// One run a side: the spread from run to run is taken to be that of the samples.
double beyond_noise(CaseComparison const& c) {
  return std::isnan(c.fastest) ? 0.0 : 3.0 * c.noise;
}

bool is_proved(CaseComparison const& c, double limit) {
  if (std::isnan(c.fastest)) return true;
  const bool fastest_agrees = limit > 1.0 ? c.fastest > limit : c.fastest < limit;
  return fastest_agrees && std::abs(std::log(c.ratio.middle)) > beyond_noise(c);
}

Verdict verdict_of(CaseComparison const& c, double tolerance) {
  if (std::isinf(c.family.high)) return Verdict::too_few;
  const double slower = 1.0 + tolerance / 2.0, faster = 1.0 - tolerance / 2.0;
  if (c.family.low > 1.0 && c.ratio.middle > slower)
    return is_proved(c, slower) ? Verdict::slower : Verdict::not_proved;
  if (c.family.high < 1.0 && c.ratio.middle < faster)
    return is_proved(c, faster) ? Verdict::faster : Verdict::not_proved;
  return Verdict::unchanged;
}

// Cases have as many values as a rule, and their quantiles are the dearest part.
struct Quantiles {
  std::size_t base = 0, next = 0;
  std::optional<std::size_t> one, family;

  void fit(Series const& series, double alpha) {
    if (base == series.base.size() && next == series.next.size()) return;
    base = series.base.size();
    next = series.next.size();
    one = rank_sum_quantile(base, next, 0.025);
    family = rank_sum_quantile(base, next, alpha);
  }
};

// By the width of the interval, which is what decides, not by the noise, which a single value can raise.
std::size_t needed_for(CaseComparison const& c, Estimate const& interval, std::size_t m, std::size_t n,
                       double tolerance, double alpha) {
  const double effect = std::log1p(tolerance), width = deviation_of(interval, m, n, 0.025);
  return values_needed(effect, std::max(effect / 2.0, beyond_noise(c)), std::isnan(width) ? c.noise : width,
                       alpha, power);
}

CaseComparison compare_one(Series const& series, double tolerance, double alpha, Quantiles const& quantiles) {
  const auto base = logs(series.base), next = logs(series.next);
  const Shift shift(base, next);
  CaseComparison result;
  result.name = series.name;
  result.base = median(series.base);
  result.next = median(series.next);
  const Estimate interval = shift.interval(quantiles.one);
  result.ratio = exponential(interval);
  result.family = exponential(shift.interval(quantiles.family));
  result.noise = pooled_deviation(base, next);
  result.fastest = series.fastest;
  result.needed = needed_for(result, interval, base.size(), next.size(), tolerance, alpha);
  result.verdict = verdict_of(result, tolerance);
  return result;
}

}  // namespace

std::vector<CaseComparison> compare_series(std::span<const Series> series, double tolerance) {
  const double alpha = family_error / static_cast<double>(std::max<std::size_t>(1, series.size()));
  std::vector<CaseComparison> results;
  Quantiles quantiles;
  for (auto const& one : series) {
    quantiles.fit(one, alpha);
    results.push_back(compare_one(one, tolerance, alpha, quantiles));
  }
  return results;
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(cases, verdict, &CaseComparison::verdict));
}

bool Comparison::is_slower() const {
  return count(Verdict::slower) > 0;
}

std::string name_of(Verdict verdict, std::string const& unit) {
  switch (verdict) {
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::not_proved:
      return "not proved";
    case Verdict::too_few:
      return "too few " + unit;
    default:
      return "unchanged";
  }
}

}  // namespace ddproxy::results
