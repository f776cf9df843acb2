// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "model/statistics/mean.hpp"

namespace ddproxy::model {
namespace {

using Cases = std::span<const ScoredCase>;

constexpr double default_cap_mib = 25;

constexpr double least_share_of_step = 0.005;  // share of T; an E below it does not matter
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Returns the case with the least certain E, if this E is too uncertain to score an error.
std::optional<std::size_t> find_unscored(Cases cases) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double share = cases[i].noise / error_scale(cases[i]);
    if (std::isnan(share)) return i;
    if (share <= most) continue;
    worst = i;
    most = share;
  }
  if (most > most_noise) return worst;
  return std::nullopt;
}

double least_total(Cases cases) {
  double least = std::numeric_limits<double>::infinity();
  for (ScoredCase const& c : cases) least = std::min(least, c.measured_total);
  return least;
}

bool differ(ScoredCase const& a, ScoredCase const& b) {
  return std::abs(a.measured.total() - b.measured.total()) > 2 * std::max(a.noise, b.noise);
}

/// Returns 1 if the prediction orders two cases as measured, 0 if it reverses them, and 0.5 if it predicts no
/// difference.
double pair_score(double measured_difference, double predicted_difference) {
  if (predicted_difference == 0) return 0.5;
  return (measured_difference > 0) == (predicted_difference > 0) ? 1.0 : 0.0;
}

double ordered_share(Cases cases, std::span<const double> predicted) {
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!differ(cases[i], cases[j])) continue;
      sum += pair_score(cases[i].measured.total() - cases[j].measured.total(), predicted[i] - predicted[j]);
      ++pairs;
    }
  }
  return pairs == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(pairs);
}

std::size_t count_pairs(Cases cases) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs += differ(cases[i], cases[j]) ? 1 : 0;
  }
  return pairs;
}

/// Returns the regret: T divided by the smallest measured T, minus 1. Returns NaN with too few cases.
double regret_of(double measured_total, Cases cases) {
  return cases.size() < fewest_caps ? unknown : measured_total / least_total(cases) - 1;
}

double mean_regret_of_least(Cases cases, std::span<const double> predicted) {
  const double least = *std::min_element(predicted.begin(), predicted.end());
  double sum = 0;
  int ties = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (predicted[i] > least) continue;
    sum += cases[i].measured_total;
    ++ties;
  }
  return regret_of(sum / ties, cases);
}

/// Returns the larger of the two errors, or NaN if one of them is NaN.
double larger(double most, double error) {
  return std::isnan(most) || error <= most ? most : error;
}

void add_errors(Score& result, Cases cases, std::vector<double> const& predicted) {
  const auto count = static_cast<double>(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double miss = std::abs(predicted[i] - cases[i].measured.total()), scale = error_scale(cases[i]);
    result.mean_error += miss / scale / count;
    result.max_error = larger(result.max_error, miss / scale);
    // not std::max, which would drop a NaN
    result.beyond_noise += (miss <= cases[i].noise ? 0 : miss - cases[i].noise) / scale / count;
  }
}

Score score_of(Cases cases, std::vector<double> const& predicted) {
  Score result;
  if (find_unscored(cases))
    result.mean_error = result.max_error = result.beyond_noise = unknown;
  else
    add_errors(result, cases, predicted);
  result.ordered = ordered_share(cases, predicted);
  result.regret = mean_regret_of_least(cases, predicted);
  return result;
}

/// Returns the median of E with each case weighted by 1 / error_scale(). No other constant has a lower mean
/// error.
double best_constant(Cases cases) {
  std::vector<ScoredCase> sorted(cases.begin(), cases.end());
  std::sort(sorted.begin(), sorted.end(),
            [](auto const& a, auto const& b) { return a.measured.total() < b.measured.total(); });
  double half = 0;
  for (ScoredCase const& c : sorted) half += 0.5 / error_scale(c);
  double sum = 0;
  for (ScoredCase const& c : sorted) {
    sum += 1 / error_scale(c);
    if (sum >= half) return c.measured.total();
  }
  return sorted.back().measured.total();
}

ScoredCase const& nearest_to_default(Cases cases) {
  auto distance = [](ScoredCase const& c) { return std::abs(std::log(c.cap_mib / default_cap_mib)); };
  return *std::min_element(cases.begin(), cases.end(),
                           [&](auto const& a, auto const& b) { return distance(a) < distance(b); });
}

Score score_of_default(Cases cases) {
  ScoredCase const& chosen = nearest_to_default(cases);
  Score result = score_of(cases, std::vector<double>(cases.size(), chosen.measured.total()));
  result.regret = regret_of(chosen.measured_total, cases);
  return result;
}

std::vector<double> values(Cases cases, double (*of)(ScoredCase const&)) {
  std::vector<double> result;
  std::transform(cases.begin(), cases.end(), std::back_inserter(result), of);
  return result;
}

double tail_error(ScoredCase const& c) {
  return std::abs(c.predicted.tail - c.measured.tail) / error_scale(c);
}

double slowdown_error(ScoredCase const& c) {
  return std::abs(c.predicted.slowdown - c.measured.slowdown) / error_scale(c);
}

double cap_of_least(Cases cases, std::vector<double> const& numbers) {
  const auto least = std::min_element(numbers.begin(), numbers.end());
  double cap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (numbers[i] == *least) cap = std::min(cap, cases[i].cap_mib);
  }
  return cap;
}

}  // namespace

// The limit of 1e-9 s prevents a division by 0 if T is 0, which no measurement gives.
double error_scale(ScoredCase const& scored) {
  return std::max({scored.measured.total(), least_share_of_step * scored.measured_total, 1e-9});
}

ScoreCard score(std::span<const ScoredCase> cases) {
  if (cases.empty()) throw std::invalid_argument("score: there is no measured bucketed case");
  const std::vector<double> predicted = values(cases, [](auto const& c) { return c.predicted.total(); });
  ScoreCard card;
  card.model = score_of(cases, predicted);
  card.constant = score_of(cases, std::vector<double>(cases.size(), best_constant(cases)));
  card.pytorch_default = score_of_default(cases);
  card.uncontended = score_of(cases, values(cases, [](auto const& c) { return c.uncontended; }));
  card.unscored = find_unscored(cases);
  card.tail_error = card.unscored ? unknown : mean(values(cases, tail_error));
  card.slowdown_error = card.unscored ? unknown : mean(values(cases, slowdown_error));
  card.pairs = count_pairs(cases);
  card.measured_cap_mib = cap_of_least(cases, values(cases, [](auto const& c) { return c.measured_total; }));
  card.predicted_cap_mib = cap_of_least(cases, predicted);
  return card;
}

}  // namespace ddproxy::model
