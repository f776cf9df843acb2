// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/night_rule.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/student.hpp"
#include "results/history/night_noise.hpp"

namespace ddproxy::results {
namespace {

constexpr double one_test_error = 1e-4;

double quantile_of(std::size_t degrees) {
  static const auto table = [] {
    std::array<double, window_nights> result{};
    for (std::size_t k = 1; k < result.size(); ++k)
      result[k] = model::student_quantile(static_cast<double>(k), one_test_error);
    return result;
  }();
  return table[std::min(degrees, table.size() - 1)];
}

// Returns the factor by which the quantile of a test is multiplied: c in docs/results.md, "The model of the
// noise". The factors come from simulation. Single bad nights are more frequent than in a normal
// distribution. So the factor is larger for one to three nights than for five nights. It is larger for 8 or
// more nights, too.
double allowance(Against against, std::size_t length) {
  if (against == Against::best) return 1.5;
  if (against == Against::pinned) return 1.3;
  return length == 1 ? 1.75 : length == 2 ? 1.6 : length == 3 ? 1.4 : length == 5 ? 1.12 : 1.55;
}

}  // namespace

double moderated(double own, NoiseShape const& shape) {
  return std::max(own, std::sqrt((own * own + shape.deviation * shape.deviation) / 2.0));
}

double critical_factor(Against against, std::size_t length, std::size_t degrees) {
  return allowance(against, length) * quantile_of(degrees);
}

double error_of_shift(double new_deviation, std::size_t length, double deviation, std::size_t nights,
                      double correlation) {
  return std::sqrt(new_deviation * new_deviation * variance_of_mean(length, correlation) +
                   deviation * deviation * variance_of_mean(nights, correlation));
}

double floor_of_shift(std::size_t length, double tolerance) {
  const double share = length < 5 ? tolerance * (1.0 + 1.0 / static_cast<double>(length)) : tolerance;
  return std::log1p(share);
}

double tail_share(std::size_t length) {
  return length == 1 ? 1.0 : length == 2 ? 0.4 : length == 3 ? 0.15 : 0.05;
}

std::size_t exceptions(std::size_t length) {
  return length < 5 ? 0 : length == 5 ? 1 : length / 3;
}

}  // namespace ddproxy::results
