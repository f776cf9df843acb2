// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

TEST(Score, BelowTheNoiseErrorsAreRelativeToTheNoise) {
  const std::vector<ScoredCase> cases{case_of(1, 0.1, 0.2, 0.4)};
  EXPECT_DOUBLE_EQ(score(cases).model.mean_error, 0.25);
}

TEST(Score, WithUnknownNoiseErrorsAreUnknownAndRegretIsNot) {
  const double unknown = std::nan("");
  const ScoreCard card =
      score(std::vector<ScoredCase>{case_of(1, -0.5, 1, unknown), case_of(25, -1, 2, unknown)});
  EXPECT_TRUE(std::isnan(card.model.mean_error));
  EXPECT_TRUE(std::isnan(card.model.max_error));
  EXPECT_TRUE(std::isnan(card.constant.mean_error));
  EXPECT_EQ(card.pairs, 0U);
  EXPECT_DOUBLE_EQ(card.model.regret, 9.5 / 9 - 1);
}

TEST(Score, OnlyPairsThatDifferByMoreThanTwiceTheNoiseCount) {
  // 1 and 1.1 cannot be told apart with a noise of 0.1; 3 can, and one of its two pairs is put the wrong way
  // round.
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

TEST(Score, ATieHasTheMeanRegret) {
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

TEST(Score, WhereTheNoiseIsTheScaleTheBestConstantIsTheMedian) {
  std::vector<ScoredCase> cases;
  for (const double measured : {1.0, 2.0, 3.0, 4.0, 5.0}) cases.push_back(case_of(measured, measured, 0, 10));
  EXPECT_DOUBLE_EQ(score(cases).constant.mean_error, (2 + 1 + 0 + 1 + 2) / 10.0 / 5);
}

TEST(Score, TheDefaultIsTheCapNearestTo25) {
  const std::vector<ScoredCase> cases{case_of(1, 2, 0), case_of(16, 1.5, 0), case_of(100, 1, 0)};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.pytorch_default.regret, 11.5 / 11 - 1);
  EXPECT_DOUBLE_EQ(card.pytorch_default.mean_error, (0.25 + 0 + 0.5) / 3);
}

TEST(Score, TheLastBucketIsABaseline) {
  std::vector<ScoredCase> cases{case_of(1, 2, 0), case_of(25, 1, 0)};
  cases[0].last_bucket = 1;
  cases[1].last_bucket = 1.5;
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.last_bucket.mean_error, 0.5);
  EXPECT_DOUBLE_EQ(card.last_bucket.regret, 12.0 / 11 - 1);
  EXPECT_DOUBLE_EQ(card.last_bucket.ordered, 0);
}

TEST(Score, TailAndSlowdownAreScoredApart) {
  std::vector<ScoredCase> cases{case_of(1, 0, 0)};
  cases[0].measured = {3, 1};
  cases[0].predicted = {1, 3};
  const ScoreCard card = score(cases);
  EXPECT_DOUBLE_EQ(card.model.mean_error, 0);
  EXPECT_DOUBLE_EQ(card.tail_error, 0.5);
  EXPECT_DOUBLE_EQ(card.slowdown_error, 0.5);
}

TEST(Score, RefusesNothing) {
  EXPECT_THROW(score({}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
