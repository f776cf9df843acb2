// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare/family_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "results/compare/relabelling.hpp"

namespace ddproxy::results {
namespace {

TEST(Relabelling, takes_all_sign_flips_if_they_are_fewer_than_the_limit) {
  const auto all = sign_flips(4, 100);
  EXPECT_EQ(all.size(), 16u);
  EXPECT_EQ(all.front(), (Relabelling{0, 1, 2, 3}));
  EXPECT_EQ(std::set<Relabelling>(all.begin(), all.end()).size(), 16u);
  const auto some = sign_flips(70, 100);
  EXPECT_EQ(some.size(), 100u);
  EXPECT_EQ(some.front().size(), 70u);
  EXPECT_EQ(std::set<Relabelling>(some.begin(), some.end()).size(), 100u);
}

TEST(Relabelling, takes_all_regroupings_if_they_are_fewer_than_the_limit) {
  const auto all = regroupings(3, 2, 100);
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(all.front(), (Relabelling{3, 4}));
  EXPECT_EQ(std::set<Relabelling>(all.begin(), all.end()).size(), 10u);
  for (auto const& one : regroupings(20, 20, 50)) EXPECT_EQ(std::set(one.begin(), one.end()).size(), 20u);
}

// All seven rounds are slower. Of the 2^7 sign flips only the observed one has such a large mean.
TEST(FamilyTest, has_the_exact_p_of_a_single_case) {
  const FamilyTest seven = test_rounds({{0.02, 0.03, 0.01, 0.02, 0.04, 0.03, 0.02}});
  EXPECT_EQ(seven.relabellings, 128u);
  EXPECT_DOUBLE_EQ(seven.cases[0].p_slower, 1.0 / 128);
  EXPECT_DOUBLE_EQ(seven.cases[0].p_faster, 1.0);
  EXPECT_TRUE(seven.rejects());
  const FamilyTest six = test_rounds({{0.02, 0.03, 0.01, 0.02, 0.04, 0.03}});
  EXPECT_FALSE(six.can_reject());
  EXPECT_FALSE(six.rejects());
}

TEST(FamilyTest, has_the_mean_and_the_deviation_of_the_rounds) {
  const FamilyTest test = test_rounds({{0.01, 0.02, 0.03}, {0.03, 0.02, 0.01}});
  EXPECT_NEAR(test.cases[0].shift, 0.02, 1e-15);
  EXPECT_NEAR(test.cases[0].deviation, 0.01, 1e-15);
  EXPECT_NEAR(test.whole.shift, 0.02, 1e-15);
  EXPECT_NEAR(test.whole.deviation, 0.0, 1e-8);  // in the mean, the noise of the cases cancels
}

// t = shift / sqrt(moderated variance / n). The variances are 1e-4 and 4e-4, their median is 2.5e-4, and the
// moderated variances are 1.75e-4 and 3.25e-4.
TEST(FamilyTest, moderates_variances_half_way_to_their_median) {
  const FamilyTest test = test_rounds({{-0.01, 0.0, 0.01}, {-0.02, 0.0, 0.02}});
  EXPECT_NEAR(test.cases[0].error, std::sqrt(1.75e-4 / 3), 1e-12);
  EXPECT_NEAR(test.cases[1].error, std::sqrt(3.25e-4 / 3), 1e-12);
}

TEST(FamilyTest, leaves_a_noisy_case_out_of_the_mean_but_tests_it_alone) {
  Logs ratios(3, {0.001, -0.001, 0.002, -0.002, 0.0, 0.001, -0.001, 0.0});
  ratios[1] = {1.0, 1.1, 0.9, 1.05, 1.2, 0.8, 1.0, 1.1};
  const FamilyTest test = test_rounds(ratios);
  EXPECT_TRUE(test.cases[1].noisy);
  EXPECT_FALSE(test.cases[0].noisy);
  EXPECT_NEAR(test.whole.shift, 0.0, 1e-12);
  EXPECT_LE(test.cases[1].p_slower, 0.01);
  EXPECT_GT(test.cases[0].p_slower, 0.01);
}

TEST(FamilyTest, compares_runs_of_two_sides) {
  const FamilyTest test = test_runs({{0.0, 0.01, 0.02, 0.01, 0.0}}, {{0.1, 0.11, 0.12, 0.1, 0.11}});
  EXPECT_EQ(test.relabellings, 252u);
  EXPECT_DOUBLE_EQ(test.cases[0].p_slower, 1.0 / 252);
  EXPECT_NEAR(test.cases[0].shift, 0.1, 1e-12);
  EXPECT_FALSE(test_runs({{0, 0, 0, 0}}, {{1, 1, 1, 1}}).rejects());  // 70 regroupings are too few
}

TEST(FamilyTest, equal_values_are_no_slowdown) {
  const FamilyTest test = test_rounds(Logs(4, std::vector<double>(16, 0.0)));
  EXPECT_DOUBLE_EQ(test.whole.p_slower, 1.0);
  EXPECT_FALSE(test.rejects());
}

// The means of all subsets of the three values are 1, 1.5, 2, 2, 2, 2.5 and 3. They divide the real line into
// eight intervals. Each of them contains the centre of the distribution with probability 1/8.
TEST(SubsetInterval, is_made_of_the_means_of_all_subsets) {
  const auto interval = subset_interval({1.0, 2.0, 3.0}, 0.125);
  EXPECT_DOUBLE_EQ(interval.low, 1.0);
  EXPECT_DOUBLE_EQ(interval.high, 3.0);
  const auto narrower = subset_interval({1.0, 2.0, 3.0}, 0.25);
  EXPECT_DOUBLE_EQ(narrower.low, 1.5);
  EXPECT_DOUBLE_EQ(narrower.high, 2.5);
  EXPECT_EQ(subset_interval({1.0, 2.0, 3.0}, 0.01).high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace ddproxy::results
