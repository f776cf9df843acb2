// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/allreduce_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/cost/csv.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

std::vector<CostPoint> sampled(AlphaBeta const& law, std::vector<std::int64_t> const& bytes) {
  std::vector<CostPoint> table;
  for (const std::int64_t x : bytes) table.push_back({x, law(x)});
  return table;
}

TEST(AllreduceCost, FitReturnsAlphaAndBetaOfALinearTable) {
  const AlphaBeta fit = fit_alpha_beta(sampled({20e-6, 1e9}, {8, 1024, 65536, 1 << 24}));
  EXPECT_NEAR(fit.alpha, 20e-6, 1e-12);
  EXPECT_NEAR(fit.beta, 1e9, 1);
}

TEST(AllreduceCost, FittedLatencyAndBandwidthAreNeverNegative) {
  const std::vector<CostPoint> superlinear{{100, 1e-6}, {1000, 20e-6}, {10000, 400e-6}};
  EXPECT_EQ(fit_alpha_beta(superlinear).alpha, 0);
  EXPECT_GT(fit_alpha_beta(superlinear).beta, 0);
  const std::vector<CostPoint> falling{{100, 3e-6}, {1000, 2e-6}, {10000, 1e-6}};
  EXPECT_TRUE(std::isinf(fit_alpha_beta(falling).beta));
  EXPECT_GT(fit_alpha_beta(falling).alpha, 0);
}

TEST(AllreduceCost, FitWeightsSmallAndLargeMessagesEqually) {
  // An error of 10 % counts the same at both ends, although the seconds differ by a factor of one million.
  const AlphaBeta law{1e-5, 1e8};
  std::vector<CostPoint> table = sampled(law, {1, 1000000000});
  table.push_back(table.front());
  table.back().bytes = 2;
  table.back().seconds *= 1.1;
  std::sort(table.begin(), table.end(), [](auto const& a, auto const& b) { return a.bytes < b.bytes; });
  EXPECT_NEAR(fit_alpha_beta(table).alpha, 1.05e-5, 0.01e-5);
}

TEST(AllreduceCost, ErrorOfReturnsTheMeanAndTheLargestRelativeError) {
  const AlphaBeta law{1e-5, 1e8};
  std::vector<CostPoint> table = sampled(law, {1, 1000, 100000, 10000000});
  EXPECT_NEAR(error_of(law, table).largest, 0, 1e-15);
  table[0].seconds /= 1.5;  // the line is 50 % above this point
  table[2].seconds *= 2;    // the line is 50 % below this point
  table[3].seconds /= 1.2;
  EXPECT_NEAR(error_of(law, table).mean, (0.5 + 0.5 + 0.2) / 4, 1e-12);
  EXPECT_NEAR(error_of(law, table).largest, 0.5, 1e-12);
}

// With one rank all sizes may take the same time. All errors are then the same rounding error.
TEST(AllreduceCost, TheMeanErrorIsNeverAboveTheLargestError) {
  for (int i = 1; i < 200; ++i) {
    std::vector<CostPoint> flat;
    for (std::int64_t bytes = 4096; bytes <= 262144; bytes *= 2) flat.push_back({bytes, 1.37e-8 * i});
    const RelativeError error = error_of(fit_alpha_beta(flat), flat);
    EXPECT_LE(error.mean, error.largest) << i;
    EXPECT_LT(error.largest, 1e-14);
  }
}

TEST(AllreduceCost, GoesThroughThePointsOfTheTable) {
  const std::vector<CostPoint> table = read_allreduce(published("allreduce-8xa100-1node.csv"));
  const TableCost cost(table);
  double highest = 0;
  for (CostPoint const& point : table) {
    highest = std::max(highest, point.seconds);
    EXPECT_NEAR(cost(point.bytes), highest, 1e-12 + 1e-9 * highest);
  }
}

TEST(AllreduceCost, ADerivedCostThatFallsIsRaised) {
  // The cost of 8 A100s is rescaled to 16 times the latency. Then 128 KiB take longer than 512 KiB.
  const TableCost table(read_allreduce(published("allreduce-8xa100-1node.csv")));
  const AlphaBeta fit = fit_alpha_beta(table.table()), other{16 * fit.alpha, fit.beta};
  const AllreduceCost falls = [=](std::int64_t x) { return table(x) * other(x) / fit(x); };
  const std::int64_t low = table.table().front().bytes, high = table.table().back().bytes;
  ASSERT_GT(falls(128 << 10), falls(512 << 10));
  const Unfalling raised = never_falling(falls, low, high);
  EXPECT_TRUE(raised.raised);
  double before = 0;
  for (std::int64_t x = low / 8; x < 4 * high; x += x / 50 + 1) {
    EXPECT_GE(raised.cost(x), before * (1 - 1e-12)) << x;
    before = raised.cost(x);
  }
  EXPECT_NEAR(raised.cost(high), falls(high), 1e-9 * falls(high));
  EXPECT_FALSE(never_falling(table, low, high).raised);
}

TEST(AllreduceCost, RisesBeyondTheTableIfTheLastTimesFall) {
  const TableCost cost({{1000, 1.0}, {2000, 2.0}, {4000, 4.0}, {8000, 3.0}});
  EXPECT_DOUBLE_EQ(cost(8000), 4.0);
  EXPECT_DOUBLE_EQ(cost(14000), 6.0);  // extrapolated from 2 s at 2000 bytes and 4 s at 8000 bytes
  EXPECT_DOUBLE_EQ(TableCost({{1000, 1.0}, {2000, 1.0}})(4000), 1.0);
}

TEST(AllreduceCost, NeverFalls) {
  for (auto const* file :
       {"allreduce-8xa100-1node.csv", "allreduce-16xa100-slingshot.csv", "allreduce-2xt4.csv"}) {
    const TableCost cost(read_allreduce(published(file)));
    double previous = 0;
    for (double x = 1; x < 3e10; x *= 1.07) {
      const double seconds = cost(static_cast<std::int64_t>(x));
      EXPECT_GE(seconds, previous * (1 - 1e-14)) << file << " at " << x;
      previous = seconds;
    }
  }
}

TEST(AllreduceCost, APowerLawIsKeptBetweenThePoints) {
  std::vector<CostPoint> table;
  for (const std::int64_t x : {100, 1000, 10000}) {
    table.push_back({x, 1e-6 * std::pow(static_cast<double>(x), 0.7)});
  }
  const TableCost cost(table);
  for (const std::int64_t x : {150, 500, 3000, 7000}) {
    EXPECT_NEAR(cost(x) / (1e-6 * std::pow(static_cast<double>(x), 0.7)), 1, 1e-12);
  }
}

TEST(AllreduceCost, TheInnerSlopeIsTheWeightedHarmonicMean) {
  // In log10 the points are (1, 0), (2, 0.5), (4, 2.5). The chords have the slopes 0.5 and 1, so the slope at
  // the second point is 9 / (5 / 0.5 + 4 / 1) = 9/14. The slope at the last point is that of its chord, 1.
  const TableCost cost({{10, 1e-6}, {100, 1e-6 * std::pow(10, 0.5)}, {10000, 1e-6 * std::pow(10, 2.5)}});
  EXPECT_NEAR(std::log10(cost(1000) / 1e-6), 1.5 + 2 * (9.0 / 14 - 1) / 8, 1e-12);
}

TEST(AllreduceCost, IsLinearOutsideTheTable) {
  const TableCost cost({{1000, 2e-6}, {2000, 3e-6}, {10000, 9e-6}, {20000, 19e-6}});
  EXPECT_DOUBLE_EQ(cost(500), 1.5e-6);
  EXPECT_DOUBLE_EQ(cost(40000), 39e-6);
  EXPECT_FALSE(cost.covers(500));
  EXPECT_FALSE(cost.covers(20001));
  EXPECT_TRUE(cost.covers(1000));
  EXPECT_TRUE(cost.covers(20000));
}

TEST(AllreduceCost, IsAtLeastProportionalToTheBytesBelowTheTable) {
  const TableCost cost({{1000, 1e-6}, {2000, 4e-6}});
  EXPECT_DOUBLE_EQ(cost(500), 0.5e-6);
  EXPECT_EQ(cost(0), 0);
}

TEST(AllreduceCost, SecondsThatFallAreRaised) {
  const TableCost cost({{10, 3e-6}, {100, 2e-6}, {1000, 5e-6}});
  EXPECT_DOUBLE_EQ(cost(50), 3e-6);
  EXPECT_DOUBLE_EQ(cost(100), 3e-6);
  EXPECT_DOUBLE_EQ(cost(1000), 5e-6);
  EXPECT_EQ(cost.table()[1].seconds, 3e-6);
}

TEST(AllreduceCost, RefusesInvalidTables) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(TableCost({{10, 1e-6}}), std::invalid_argument);
  EXPECT_THROW(TableCost({{10, 1e-6}, {10, 2e-6}}), std::invalid_argument);
  EXPECT_THROW(TableCost({{0, 1e-6}, {10, 2e-6}}), std::invalid_argument);
  EXPECT_THROW(TableCost({{1, 0}, {10, 2e-6}}), std::invalid_argument);
  EXPECT_THROW(TableCost({{1, 1e-6}, {10, nan}}), std::invalid_argument);
  EXPECT_THROW(fit_alpha_beta(std::vector<CostPoint>{{1, 1e-6}}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
