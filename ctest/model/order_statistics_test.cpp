// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "model/statistics/median_interval.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/rank_sum.hpp"

namespace ddproxy::model {
namespace {

using Reals = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Quantile, IsInterpolatedBetweenNeighbours) {
  EXPECT_EQ(quantile({30, 10, 20}, 0.25), 15.0);
  EXPECT_EQ(quantile_of_sorted(Reals{10, 20, 30}, 0.25), 15.0);
  EXPECT_EQ(quantile({30, 10, 20}, 1), 30.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Quantile, IsExactAtAValueEvenIfTheNextValueIsInfinite) {
  EXPECT_EQ(quantile({1, infinity, 2}, 0.5), 2.0);
  EXPECT_EQ(quantile({1, infinity, 2}, 0.75), infinity);
}

TEST(Quantile, NeighboursAreValuesOfTheSample) {
  const Reals values{40, 10, 30, 20, 50};
  EXPECT_EQ(quantile(values, 0.3, Neighbour::below), 20.0);
  EXPECT_EQ(quantile(values, 0.3, Neighbour::above), 30.0);
  EXPECT_EQ(quantile(values, 0.25, Neighbour::below), 20.0);
  EXPECT_EQ(quantile(values, 0.25, Neighbour::above), 20.0);
  EXPECT_EQ(quantile(values, 0, Neighbour::below), 10.0);
  EXPECT_EQ(quantile(values, 1, Neighbour::above), 50.0);
  EXPECT_EQ(quantile({1, infinity}, 0.5, Neighbour::below), 1.0);
  EXPECT_EQ(quantile({1, infinity}, 0.5, Neighbour::above), infinity);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5, Neighbour::above)));
}

TEST(EmpiricalQuantile, IsTheSmallestValueWithTheGivenShareAtOrBelowIt) {
  const Reals values{40, 10, 30, 20};
  EXPECT_EQ(empirical_quantile(values, 0.25), 10.0);
  EXPECT_EQ(empirical_quantile(values, 0.26), 20.0);
  EXPECT_EQ(empirical_quantile(values, 0.5), 20.0);
  EXPECT_EQ(empirical_quantile(values, 1), 40.0);
  EXPECT_TRUE(std::isnan(empirical_quantile({}, 0.5)));
}

TEST(EmpiricalQuantile, HasAtMostOnePercentOfTheValuesAboveItAt99Percent) {
  Reals values(128);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  EXPECT_EQ(empirical_quantile(values, 0.99), 126.0);  // 1 of 128 values is above it
}

TEST(IntervalOfSorted, LeavesOutTheGivenNumberOfValuesAtEachEnd) {
  const Reals values{1, 2, 4, 8, 16, 32};
  const Estimate estimate = interval_of_sorted(values, 1);
  EXPECT_EQ(estimate.value, 6.0);
  EXPECT_EQ(estimate.low, 2.0);
  EXPECT_EQ(estimate.high, 16.0);
  EXPECT_EQ(interval_of_sorted(values, 0).high, 32.0);
  EXPECT_EQ(interval_of_sorted(values, std::nullopt).low, -infinity);
  EXPECT_EQ(interval_of_sorted(values, std::nullopt).high, infinity);
}

// Shift and interval_of_sorted() must return the same median as median(), to the last bit.
TEST(IntervalOfSorted, ReturnsTheSameMedianAsMedianAndShift) {
  std::mt19937_64 engine(10);
  std::normal_distribution<double> noise;
  for (std::size_t n = 1; n < 30; ++n) {
    Reals values(n);
    for (double& value : values) value = noise(engine);
    EXPECT_EQ(Shift(Reals{0}, values).interval({}).value, median(values)) << n;
    std::ranges::sort(values);
    EXPECT_EQ(interval_of_sorted(values, {}).value, median(values)) << n;
  }
}

}  // namespace
}  // namespace ddproxy::model
