// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace ddproxy::model {

/// An equation a x + b y = value.
struct Equation {
  double a = 0;
  double b = 0;
  double value = 0;
};

/// The solution of two equations. of() returns the left side of another equation, with this solution.
struct TwoCoefficients {
  double x = 0;
  double y = 0;
  double of(Equation const& other) const { return other.a * x + other.b * y; }
};

/// Solves two equations by Cramer's rule. Throws std::invalid_argument if they do not determine both
/// coefficients.
inline TwoCoefficients solve(Equation const& first, Equation const& second) {
  const double determinant = first.a * second.b - second.a * first.b;
  if (determinant == 0) throw std::invalid_argument("the two equations do not determine both coefficients");
  return {(first.value * second.b - second.value * first.b) / determinant,
          (first.a * second.value - second.a * first.value) / determinant};
}

}  // namespace ddproxy::model
