// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "results/history/nightly_test.hpp"

namespace ddproxy::results {
namespace {

// A fixture that follows one series: the values of one case, night by night. add() adds nights that are
// slower than the level at the start by the share `slowdown`. Their noise has the standard deviation
// `deviation`, 1 % by default.
class Level : public testing::Test {
 protected:
  void add(int nights, double slowdown = 0.0, double deviation = 0.01) {
    std::normal_distribution<double> noise(0.0, deviation);
    for (int k = 0; k < nights; ++k) {
      const NightValue one{night++, std::log1p(slowdown) + noise(engine), 0.0};
      test.add({&one, 1});
    }
  }
  LevelTracker& tracker() { return test.trackers()[0]; }

  NightlyTest test{1, 0.02};
  std::mt19937_64 engine{5};
  std::size_t night = 0;
};

TEST_F(Level, keeps_a_slowdown_and_its_first_night) {
  add(30);
  EXPECT_FALSE(tracker().slowdown());
  add(100, 0.15);
  ASSERT_TRUE(tracker().slowdown());
  EXPECT_EQ(tracker().slowdown()->since, 30u);
  EXPECT_EQ(tracker().slowdown()->against, Against::window);
  EXPECT_NEAR(tracker().newest(test.shape(0)).ratio, 1.15, 0.02);
}

// The newest night is slower by three standard deviations, which is too little for a slowdown. newest() must
// return the ratio of this night alone, not of a mean with earlier nights.
TEST_F(Level, newest_returns_the_ratio_of_the_newest_night_alone) {
  add(30);
  const NightValue slow{night++, std::log(1.03), 0.0};
  test.add({&slow, 1});
  EXPECT_FALSE(tracker().slowdown());
  EXPECT_NEAR(tracker().newest(test.shape(0)).ratio, 1.03, 0.008);
}

TEST_F(Level, a_slowdown_of_one_night_ends_after_one_normal_night) {
  add(30);
  add(1, 0.5);
  ASSERT_TRUE(tracker().slowdown());
  add(1);
  EXPECT_FALSE(tracker().slowdown());
  EXPECT_NEAR(tracker().levels().noise().deviation, 0.01, 0.004);
}

TEST_F(Level, one_very_fast_night_neither_moves_the_level_nor_hides_a_slowdown) {
  add(20);
  add(1, -0.6);
  add(10);
  EXPECT_FALSE(tracker().slowdown());
  EXPECT_LT(tracker().smallest_seen(1, test.shape(0)), 0.15);
  add(2, 0.15);
  EXPECT_TRUE(tracker().slowdown());
}

TEST_F(Level, three_slow_nights_of_five_are_no_slowdown) {
  add(30);
  for (int k = 0; k < 3; ++k) {
    add(1, 0.05);  // slower by 5 %; at most three of five nights in a row are slow
    add(1);
  }
  EXPECT_FALSE(tracker().slowdown());
}

TEST_F(Level, tests_nothing_before_the_fifth_night) {
  add(4);
  EXPECT_FALSE(tracker().is_tested());
  EXPECT_TRUE(std::isnan(tracker().smallest_seen(1, test.shape(0))));
  add(1);
  EXPECT_TRUE(tracker().is_tested());
  EXPECT_GT(tracker().smallest_seen(1, test.shape(0)), tracker().smallest_seen(5, test.shape(0)));
}

TEST_F(Level, finds_75_to_99_percent_of_slowdowns_of_size_smallest_seen) {
  for (std::size_t nights : {1, 2, 3, 5}) {
    int found = 0;
    for (unsigned k = 0; k < 400; ++k) {
      test = NightlyTest(1, 0.02);
      night = 0;
      add(30);
      const double seen = tracker().smallest_seen(nights, test.shape(0));
      add(static_cast<int>(nights), seen);
      found += tracker().slowdown().has_value();
    }
    EXPECT_GT(found, 0.75 * 400) << nights;
    EXPECT_LT(found, 0.99 * 400) << nights << ": smallest_seen() could be smaller";
  }
}

}  // namespace
}  // namespace ddproxy::results
