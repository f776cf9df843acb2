// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/power_of_two.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "device.hpp"

// This test is compiled with the flags of the kernels, because -ffast-math could break power_of_two().
namespace ddproxy::kernels {
namespace {

std::vector<float> powers_of_two(std::vector<double> const& exponents) {
  // y starts with zeros, not with NaN, because -ffast-math may ignore NaN. A zero that is left shows an
  // element that was not written.
  const Floats x = to_space(exponents), y("y", exponents.size());
  Kokkos::parallel_for(
      Range(Space(), 0, static_cast<Index>(exponents.size())),
      KOKKOS_LAMBDA(Index i) { y[i] = power_of_two(x[i]); });
  Space().fence();
  return to_host(y);
}

TEST(PowerOfTwo, IsExactToAFewUnitsInTheLastPlace) {
  std::vector<double> x;
  for (float each = -85.9F; each < 127; each += 0.0103F) x.push_back(each);
  const auto y = powers_of_two(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(y[i] / std::exp2(x[i]) - 1));
  EXPECT_LT(worst, 4 * 6e-8);
}

TEST(PowerOfTwo, IsNearlyZeroForLargeNegativeExponents) {
  for (const float each : powers_of_two({-86.5, -127, -1000, -1e30})) {
    EXPECT_GE(each, 0);
    EXPECT_LE(each, 1.3e-26F);
  }
}

TEST(PowerOfTwo, IsOneAtZero) {
  EXPECT_EQ(powers_of_two({0}), std::vector<float>{1});
}

}  // namespace
}  // namespace ddproxy::kernels
