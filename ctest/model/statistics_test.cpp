// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics/estimate.hpp"
#include "model/statistics/median_interval.hpp"
#include "model/statistics/paired_ratio.hpp"
#include "model/statistics/quantile.hpp"
#include "model/statistics/rank_sum.hpp"
#include "model/statistics/student.hpp"
#include "model/text/csv_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <sstream>
#include <string>

#include "ctest/folders.hpp"

namespace ddproxy::model {
namespace {

using Reals = std::vector<double>;

// Returns U of the rank-sum test for every way to choose m of m + n places for the first sample.
std::vector<std::size_t> all_u(std::size_t m, std::size_t n) {
  std::vector<std::size_t> values;
  std::vector<char> first(m + n, 0);
  std::fill(first.end() - static_cast<std::ptrdiff_t>(m), first.end(), 1);
  do {
    std::size_t u = 0, seen = 0;
    for (char is_first : first) is_first ? u += seen : ++seen;
    values.push_back(u);
  } while (std::next_permutation(first.begin(), first.end()));
  return values;
}

Reals normal(std::mt19937_64& engine, std::size_t n, double mean = 0.0) {
  std::normal_distribution<double> noise(mean, 1.0);
  Reals values(n);
  for (double& v : values) v = noise(engine);
  return values;
}

Estimate shift(Reals const& from, Reals const& to, double alpha) {
  return Shift(from, to).interval(rank_sum_quantile(from.size(), to.size(), alpha));
}

TEST(RankSum, quantiles_agree_with_an_enumeration_of_all_arrangements) {
  for (std::size_t m = 1; m <= 6; ++m)
    for (std::size_t n = 1; n <= 6; ++n)
      for (double alpha : {0.001, 0.01, 0.025, 0.1}) {
        const auto values = all_u(m, n);
        std::optional<std::size_t> expected;
        for (std::size_t k = 0; 2 * k <= m * n; ++k) {
          const auto below = std::ranges::count_if(values, [&](std::size_t u) { return u <= k; });
          if (static_cast<double>(below) <= alpha * static_cast<double>(values.size())) expected = k;
        }
        EXPECT_EQ(rank_sum_quantile(m, n, alpha), expected) << m << ' ' << n << ' ' << alpha;
      }
}

// Critical values from tables of the Mann-Whitney test, two-sided, 5 % and 1 %.
TEST(RankSum, quantiles_agree_with_published_tables) {
  EXPECT_EQ(rank_sum_quantile(10, 10, 0.025), 23u);
  EXPECT_EQ(rank_sum_quantile(20, 20, 0.025), 127u);
  EXPECT_EQ(rank_sum_quantile(20, 20, 0.005), 105u);
  EXPECT_EQ(rank_sum_quantile(8, 15, 0.025), 29u);
}

TEST(RankSum, quantile_of_many_values_agrees_with_the_normal_approximation) {
  const double n = 150, mean = n * n / 2, deviation = std::sqrt(n * n * (2 * n + 1) / 12);
  const auto exact = rank_sum_quantile(150, 150, 0.025);
  ASSERT_TRUE(exact);
  EXPECT_NEAR(static_cast<double>(*exact), mean - 1.96 * deviation, 0.002 * mean);
}

TEST(Shift, is_the_median_of_all_differences) {
  const Estimate e = shift(Reals{1, 2, 4}, Reals{11, 15}, 0.025);
  EXPECT_EQ(e.value, 10.5);  // the differences are 7 9 10 11 13 14
  EXPECT_EQ(e.low, -INFINITY);
  EXPECT_EQ(e.high, INFINITY);
  const Estimate wide = shift(Reals{1, 2, 3}, Reals{11, 12, 13}, 0.05);  // P(U = 0) = 1 / 20
  EXPECT_EQ(wide.low, 8.0);
  EXPECT_EQ(wide.high, 12.0);
}

TEST(Shift, interval_covers_the_true_shift_with_the_stated_probability) {
  std::mt19937_64 engine(7);
  int covered = 0;
  constexpr int trials = 4000;
  for (int k = 0; k < trials; ++k) {
    const auto a = normal(engine, 7), b = normal(engine, 9, 1.0);
    const Estimate e = shift(a, b, 0.025);
    covered += e.low <= 1.0 && 1.0 <= e.high;
  }
  EXPECT_GT(covered, 0.945 * trials);
  EXPECT_LT(covered, 0.975 * trials);  // not wider than necessary
}

TEST(MedianInterval, covers_the_true_median_with_the_stated_probability) {
  std::mt19937_64 engine(8);
  int covered = 0;
  constexpr int trials = 4000;
  for (int k = 0; k < trials; ++k) {
    const Estimate e = median_interval(normal(engine, 12), 0.025);
    covered += e.low <= 0.0 && 0.0 <= e.high;
  }
  EXPECT_GT(covered, 0.945 * trials);
  EXPECT_LT(covered, 0.985 * trials);
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5}, 0.025).low, -INFINITY);
  EXPECT_EQ(median_interval({1, 2, 3, 4, 5, 6}, 0.025).low, 1.0);
}

// Values from tables of Student's distribution.
TEST(StudentQuantile, agrees_with_published_tables) {
  EXPECT_NEAR(student_quantile(3, 0.025), 3.182446, 1e-5);
  EXPECT_NEAR(student_quantile(29, 0.0005), 3.659405, 1e-5);
  EXPECT_NEAR(student_quantile(10, 0.25), 0.699812, 1e-5);
  EXPECT_NEAR(student_quantile(3, 1e-6) / std::cbrt(6.0 * std::sqrt(3.0) / (3.0 * std::acos(-1.0)) * 1e6),
              1.0,
              1e-3);  // the divisor is the leading term of the quantile far out in the tail
}

// The golden intervals were not computed by ddproxy; the file says where they come from.
// ctest/scripts/median_interval_test.py compares the Python implementation with the same rows.
TEST(MedianEstimate, agrees_with_the_golden_intervals) {
  const CsvTable table(std::string(source_folder) + "/ctest/model/median_intervals.csv");
  ASSERT_GT(table.rows(), 10U);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::istringstream text(table.text(row, "values"));
    const Reals values(std::istream_iterator<double>{text}, {});
    const Estimate estimate = median_estimate(values);
    EXPECT_NEAR(estimate.value, table.number(row, "median"), 1e-8) << values.size();
    EXPECT_NEAR(estimate.low, table.number(row, "low"), 1e-8) << values.size();
    EXPECT_NEAR(estimate.high, table.number(row, "high"), 1e-8) << values.size();
  }
}

TEST(PairedRatio, cancels_slowdowns_that_both_values_of_a_pair_share) {
  const std::vector<double> plain{1, 1, 1, 1, 5, 9, 2}, slower{1.1, 1.1, 1.1, 1.1, 5.5, 9.9, 2.2};
  const Estimate ratio = paired_ratio(slower, plain);
  EXPECT_DOUBLE_EQ(ratio.value, 1.1);
  EXPECT_NEAR(ratio.low, 1.1, 1e-12);
  EXPECT_NEAR(ratio.high, 1.1, 1e-12);
}

TEST(PairedRatio, leaves_out_pairs_with_a_missing_value) {
  EXPECT_DOUBLE_EQ(paired_ratio({2, NAN, 9, 7}, {1, 1, NAN}).value, 2);
  EXPECT_TRUE(std::isnan(paired_ratio({2, NAN}, {1, 1}).low)) << "a single pair has no interval";
  EXPECT_TRUE(std::isnan(paired_ratio({NAN}, {1}).value));
}

TEST(Median, is_right_for_odd_even_and_zero_numbers_of_values) {
  EXPECT_EQ(median({3, 1, 2}), 2.0);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({1, 2, INFINITY}), 2.0);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Median, is_the_quantile_of_one_half) {
  std::mt19937_64 engine(9);
  for (std::size_t n = 1; n < 40; ++n) {
    const auto values = normal(engine, n);
    EXPECT_EQ(median(values), quantile(values, 0.5)) << n;
  }
}

}  // namespace
}  // namespace ddproxy::model
