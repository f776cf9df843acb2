// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/deviation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ddproxy::model {
namespace {

using Reals = std::vector<double>;

// The mean of these eight values is 5. The squared differences are 9 1 1 1 0 0 4 16.
const Reals eight{2, 4, 4, 4, 5, 5, 7, 9};

TEST(SquaredDeviations, AreTheSquaredDifferencesFromTheMean) {
  EXPECT_EQ(squared_deviations(eight), 32.0);
  EXPECT_EQ(squared_deviations(Reals{3}), 0.0);
  EXPECT_EQ(squared_deviations(Reals{}), 0.0);
}

TEST(StandardDeviation, DividesByOneLessThanTheNumberOfValues) {
  EXPECT_DOUBLE_EQ(standard_deviation(eight), std::sqrt(32.0 / 7.0));
  EXPECT_DOUBLE_EQ(standard_deviation(Reals{1, 3}), std::sqrt(2.0));
}

TEST(StandardDeviation, IsUnknownBelowTwoValues) {
  EXPECT_TRUE(std::isnan(standard_deviation(Reals{})));
  EXPECT_TRUE(std::isnan(standard_deviation(Reals{5})));
}

TEST(StandardDeviation, KeepsItsDigitsIfTheMeanIsLarge) {
  EXPECT_DOUBLE_EQ(standard_deviation(Reals{1e9, 1e9 + 1, 1e9 + 2}), 1.0);
}

TEST(PooledDeviation, DoesNotCountTheDifferenceOfTheMeans) {
  EXPECT_DOUBLE_EQ(pooled_deviation(Reals{1, 3}, Reals{101, 103}), std::sqrt(4.0 / 2.0));
  EXPECT_DOUBLE_EQ(pooled_deviation(eight, Reals{6}), std::sqrt(32.0 / 7.0));
}

TEST(PooledDeviation, IsUnknownBelowThreeValues) {
  EXPECT_TRUE(std::isnan(pooled_deviation(Reals{1}, Reals{2})));
  EXPECT_DOUBLE_EQ(pooled_deviation(Reals{1, 3}, Reals{2}), std::sqrt(2.0));
}

}  // namespace
}  // namespace ddproxy::model
