// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/history/night_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ddproxy::results {
namespace {

using Reals = std::vector<double>;

TEST(VarianceOfMean, grows_with_the_correlation) {
  EXPECT_NEAR(variance_of_mean(5, 0.0), 0.2, 1e-12);
  EXPECT_NEAR(variance_of_mean(2, 0.3), 0.65, 1e-12);
  EXPECT_NEAR(variance_of_mean(1, 0.3), 1.0, 1e-12);
}

TEST(ClippedMean, limits_the_influence_of_an_outlier) {
  const Reals values{1.0, 1.1, 0.9, 1.0, 1.05, 0.95};
  Reals wild = values;
  wild.push_back(100.0);
  EXPECT_NEAR(clipped_mean(values), 1.0, 1e-12);
  EXPECT_NEAR(clipped_mean(wild), 1.0, 0.15);
  EXPECT_NEAR(clipped_mean(Reals{1.0, 9.0}), 5.0, 1e-12);
  EXPECT_THROW(clipped_mean({}), std::invalid_argument);
  for (double residual : clipped_residuals(wild)) EXPECT_LT(std::abs(residual), 1.0);
}

TEST(TailFactor, is_larger_if_the_tail_is_heavy) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3.0);
  Reals a(450), b(450);
  for (double& v : a) v = normal(engine);
  for (double& v : b) v = heavy(engine);
  EXPECT_LT(tail_factor(a), 8.0);
  EXPECT_GT(tail_factor(b) / robust_deviation(b), 20.0);
  EXPECT_EQ(tail_factor(std::span(a).first(99)), 0.0);
}

TEST(SuccessiveCorrelation, is_estimated_without_much_bias) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  double sum = 0.0;
  for (int k = 0; k < 500; ++k) {
    Reals series(30);
    double last = normal(engine);
    for (double& one : series) {
      one = last;
      last = 0.3 * last + std::sqrt(1.0 - 0.09) * normal(engine);
    }
    sum += successive_correlation(clipped_residuals(series)) / 500.0;
  }
  EXPECT_NEAR(sum, 0.3, 0.05);
  EXPECT_TRUE(std::isnan(successive_correlation(Reals(9, 1.0))));
}

TEST(ModeDistance, is_the_distance_of_two_modes_and_0_for_one_mode) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  Reals one(30), two(30);
  for (std::size_t k = 0; k < 30; ++k) {
    one[k] = normal(engine);
    two[k] = normal(engine) + (k % 4 == 0 ? 12.0 : 0.0);
  }
  EXPECT_EQ(mode_distance(one), 0.0);
  EXPECT_NEAR(mode_distance(two), 12.0, 1.5);
  EXPECT_EQ(mode_distance(std::span(two).first(9)), 0.0);
}

}  // namespace
}  // namespace ddproxy::results
