// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <stdexcept>

namespace ddproxy::model {
namespace {

ScoredCase case_of(double cap, double measured, double predicted, double noise = 0.01) {
  return {cap, 10 + measured, noise, {measured, 0}, {predicted, 0}, 0.5};
}

TEST(Score, APerfectPredictionHasNoErrorAndNoRegret) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 2), case_of(25, 1, 1), case_of(100, 3, 3)};
  const ScoreCard card = score(cases);
  EXPECT_EQ(card.model.mean_error, 0);
  EXPECT_EQ(card.model.max_error, 0);
  EXPECT_EQ(card.model.ordered, 1);
  EXPECT_EQ(card.model.regret, 0);
  EXPECT_EQ(card.pairs, 3U);
  EXPECT_EQ(card.measured_cap_mib, 25);
  EXPECT_EQ(card.predicted_cap_mib, 25);
}

TEST(Score, ErrorsAreRelativeToTheExposedTime) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1), case_of(25, 1, 1.25)};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.model.mean_error, (0.5 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(card.model.max_error, 0.5);
}

TEST(Score, ErrorsAreRelativeToHalfAPercentOfTIfTheExposedTimeIsSmaller) {
  const std::vector<ScoredCase> cases{case_of(1, 0.02, 0.12, 0.001), case_of(2, -1, 0, 0.001)};
  EXPECT_DOUBLE_EQ(error_scale(cases[0]), 0.005 * 10.02);
  EXPECT_DOUBLE_EQ(error_scale(cases[1]), 0.005 * 9);
  EXPECT_DOUBLE_EQ(score(cases).model.mean_error, (0.1 / 0.0501 + 1 / 0.045) / 2);
}

/// Checks that all errors are NaN, that all regrets are numbers, and that `unscored` is the index `worst`.
void expect_unscored(std::vector<ScoredCase> const& cases, std::size_t worst) {
  const ScoreCard card = score(cases);
  EXPECT_EQ(card.unscored, worst);
  for (Score const& s : {card.model, card.constant, card.pytorch_default, card.uncontended}) {
    EXPECT_TRUE(std::isnan(s.mean_error));
    EXPECT_TRUE(std::isnan(s.max_error));
    EXPECT_TRUE(std::isnan(s.beyond_noise));
    EXPECT_FALSE(std::isnan(s.regret));
  }
  EXPECT_TRUE(std::isnan(card.tail_error));
  EXPECT_TRUE(std::isnan(card.slowdown_error));
}

TEST(Score, ErrorsAreNaNButRegretIsKnownIfANoiseIsUnknown) {
  const double unknown = std::nan("");
  const std::vector<ScoredCase> cases{case_of(1, 3, 1), case_of(25, 1, 2, unknown), case_of(100, 2, 2)};
  expect_unscored(cases, 1);
  EXPECT_DOUBLE_EQ(score(cases).model.regret, 13.0 / 11 - 1);
}

TEST(Score, ErrorsAreNaNIfANoiseExceedsAFifthOfItsErrorScale) {
  const std::vector<ScoredCase> quiet{case_of(1, 3, 1, 0.59), case_of(25, 1, 2, 0.19), case_of(100, 2, 2)};
  EXPECT_FALSE(score(quiet).unscored);
  expect_unscored({case_of(1, 3, 1, 0.61), case_of(25, 1, 2, 0.22), case_of(100, 2, 2)}, 1);
  expect_unscored({case_of(1, 3, 1), case_of(25, 0.01, 2, 0.02), case_of(100, 2, 2)},
                  1);  // E of case 1 is so small that its error scale is 0.5 % of T
}

// The error may become NaN.
TEST(Score, MoreNoiseNeverMakesAnErrorSmaller) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> seconds(-0.05, 3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<ScoredCase> cases;
    for (const double cap : {1, 4, 25, 100})
      cases.push_back(case_of(cap, seconds(random), seconds(random), 0));
    const Score exact = score(cases).model;
    for (double noise = 1e-4; noise < 100; noise *= 3) {
      cases[static_cast<std::size_t>(trial) % cases.size()].noise = noise;
      const Score noisy = score(cases).model;
      EXPECT_FALSE(noisy.mean_error < exact.mean_error) << noise;
      EXPECT_FALSE(noisy.max_error < exact.max_error) << noise;
      EXPECT_FALSE(noisy.beyond_noise > noisy.mean_error) << noise;
    }
    EXPECT_TRUE(std::isnan(score(cases).model.mean_error));
  }
}

TEST(Score, BeyondNoiseCountsOnlyThePartOfTheErrorAboveTheNoise) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1, 0.2), case_of(25, 1, 1.05, 0.1)};
  EXPECT_DOUBLE_EQ(score(cases).model.mean_error, (0.5 + 0.05) / 2);
  EXPECT_DOUBLE_EQ(score(cases).model.beyond_noise, (0.4 + 0) / 2);
}

TEST(Score, ErrorsAreNaNIfAPredictionIsNaN) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1), case_of(4, 2, std::nan("")), case_of(25, 1, 1.25)};
  EXPECT_TRUE(std::isnan(score(cases).model.max_error));
  EXPECT_TRUE(std::isnan(score(cases).model.mean_error));
  EXPECT_TRUE(std::isnan(score(cases).model.beyond_noise));
}

TEST(Score, RegretIsNaNForFewerThanThreeCaps) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1), case_of(25, 1, 2), case_of(100, 3, 3)};
  const ScoreCard two = score(std::span(cases).first(2));
  for (Score const& s : {two.model, two.constant, two.pytorch_default, two.uncontended})
    EXPECT_TRUE(std::isnan(s.regret));
  EXPECT_FALSE(std::isnan(score(cases).model.regret));
}

TEST(Score, CountsOnlyPairsThatDifferByMoreThanTwiceTheNoise) {
  // With a noise of 0.1 the values 1 and 1.1 do not differ, but 3 differs from both. One of these two pairs
  // is ordered wrongly.
  const std::vector<ScoredCase> cases{case_of(1, 1, 5, 0.1), case_of(2, 1.1, 1, 0.1), case_of(4, 3, 4, 0.1)};
  const ScoreCard card = score(cases);
  EXPECT_EQ(card.pairs, 2U);
  EXPECT_DOUBLE_EQ(card.model.ordered, 0.5);
  EXPECT_DOUBLE_EQ(card.constant.ordered, 0.5);
  EXPECT_TRUE(std::isnan(score(std::vector<ScoredCase>{case_of(1, 1, 1)}).model.ordered));
}

TEST(Score, RegretIsMeasuredAtThePredictedCap) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1), case_of(25, 1, 2), case_of(100, 3, 3)};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.model.regret, 12.0 / 11 - 1);
  EXPECT_EQ(card.predicted_cap_mib, 1);
  EXPECT_EQ(card.measured_cap_mib, 25);
}

TEST(Score, RegretIsTheMeanOverCapsWithTheSamePrediction) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 1), case_of(25, 1, 1), case_of(100, 3, 3)};
  EXPECT_DOUBLE_EQ(score(cases).model.regret, 11.5 / 11 - 1);
}

TEST(Score, TheBestConstantHasTheLeastMeanErrorOfAllConstants) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 0), case_of(8, 0.3, 0), case_of(25, 1, 0),
                                      case_of(100, 7, 0)};
  const double best = score(cases).constant.mean_error;
  for (double constant = 0; constant < 8; constant += 0.01) {
    double mean = 0;
    for (ScoredCase const& c : cases)
      mean += std::abs(constant - c.measured.total()) / c.measured.total() / 4;
    EXPECT_LE(best, mean + 1e-12);
  }
}

TEST(Score, TheBestConstantIsTheMedianIfAllErrorScalesAreEqual) {
  std::vector<ScoredCase> cases;
  for (const double measured : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    cases.push_back(case_of(measured, measured, 0));
    cases.back().measured_total = 2000;  // 0.5 % of it is 10
  }
  EXPECT_DOUBLE_EQ(score(cases).constant.mean_error, (2 + 1 + 0 + 1 + 2) / 10.0 / 5);
}

TEST(Score, ThePyTorchDefaultIsTheCapNearestTo25MiB) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 0), case_of(16, 1.5, 0), case_of(100, 1, 0)};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.pytorch_default.regret, 11.5 / 11 - 1);
  EXPECT_DOUBLE_EQ(card.pytorch_default.mean_error, (0.25 + 0 + 0.5) / 3);
}

TEST(Score, TheModelWithoutContentionIsABaseline) {
  std::vector<ScoredCase> cases{case_of(1, 2, 0), case_of(25, 1, 0), case_of(100, 4, 0)};
  cases[0].uncontended = 1;
  cases[1].uncontended = 1.5;
  cases[2].uncontended = 2;
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.uncontended.mean_error, 0.5);
  EXPECT_DOUBLE_EQ(card.uncontended.regret, 12.0 / 11 - 1);
  EXPECT_DOUBLE_EQ(card.uncontended.ordered, 2.0 / 3);
}

TEST(Score, TailAndSlowdownAreScoredSeparately) {
  std::vector<ScoredCase> cases{case_of(1, 0, 0)};
  cases[0].measured = {3, 1};
  cases[0].predicted = {1, 3};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.model.mean_error, 0);
  EXPECT_DOUBLE_EQ(card.tail_error, 0.5);
  EXPECT_DOUBLE_EQ(card.slowdown_error, 0.5);
}

TEST(Score, RefusesAnEmptyListOfCases) {
  EXPECT_THROW(score({}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
