// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/contention.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ddproxy::model {
namespace {

TEST(Contention, OnePairOfSpeedsHoldsForAllSizes) {
  const Contention contention{0.8, 0.6};
  for (const std::int64_t bytes : {0L, 1L, 4096L, 1L << 40}) {
    EXPECT_EQ(contention(bytes).kappa, 0.8);
    EXPECT_EQ(contention(bytes).gamma, 0.6);
  }
  EXPECT_EQ(Contention()(7).kappa, 1);
  EXPECT_EQ(Contention()(7).gamma, 1);
}

TEST(Contention, ATableIsLinearInTheLogarithmOfTheBytesAndConstantBeyondItsEnds) {
  const Contention contention({{100, {0.9, 0.2}}, {10000, {0.7, 0.6}}, {1000000, {0.7, 0.8}}});
  EXPECT_NEAR(contention(1000).kappa, 0.8, 1e-12);
  EXPECT_NEAR(contention(1000).gamma, 0.4, 1e-12);
  EXPECT_NEAR(contention(100000).gamma, 0.7, 1e-12);
  EXPECT_EQ(contention(10000).gamma, 0.6);
  for (const std::int64_t bytes : {0, 1, 100}) EXPECT_EQ(contention(bytes).gamma, 0.2);
  EXPECT_EQ(contention(1 << 30).gamma, 0.8);
}

TEST(Contention, RefusesInvalidSpeedsAndTables) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Contention(0, 1), std::invalid_argument);
  EXPECT_THROW(Contention(1, 1.1), std::invalid_argument);
  EXPECT_THROW(Contention(nan, 1), std::invalid_argument);
  using Table = std::vector<SpeedPoint>;
  EXPECT_THROW(Contention(Table{}), std::invalid_argument);
  EXPECT_THROW(Contention(Table{{0, {1, 1}}}), std::invalid_argument);
  EXPECT_THROW(Contention(Table{{8, {1, 1}}, {8, {1, 1}}}), std::invalid_argument);
  EXPECT_THROW(Contention(Table{{8, {1, 1}}, {9, {1, 0}}}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
