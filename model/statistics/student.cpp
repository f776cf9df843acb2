// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/student.hpp"

#include <algorithm>
#include <cmath>

namespace ddproxy::model {
namespace {

// Returns the integral of sin^(degrees - 1) from 0 to `end`, by Simpson's rule.
double sine_power_integral(double degrees, double end) {
  constexpr int intervals = 400;
  const double step = end / intervals;
  double sum = 0.0;
  for (int k = 0; k <= intervals; ++k) {
    const double weight = k == 0 || k == intervals ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::pow(std::sin(k * step), degrees - 1.0);
  }
  return sum * step / 3.0;
}

// Returns P(T > t) for t > 0. With t = sqrt(degrees) / tan(u), the density of u is proportional to
// sin(u)^(degrees - 1).
double student_tail(double degrees, double t) {
  const double whole = 2.0 * sine_power_integral(degrees, std::acos(-1.0) / 2.0);
  return sine_power_integral(degrees, std::atan(std::sqrt(degrees) / t)) / whole;
}

}  // namespace

double student_quantile(double degrees, double alpha) {
  double low = 0.0, high = 1e9;
  for (int step = 0; step < 200 && high - low > 1e-10 * high; ++step) {
    const double middle = low > 1.0 ? std::sqrt(low * high) : (low + std::min(high, 2.0 + high / 2.0)) / 2.0;
    (student_tail(degrees, middle) > alpha ? low : high) = middle;
  }
  return low;
}

}  // namespace ddproxy::model
