// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/analysis.hpp"
#include "model/statistics/median_interval.hpp"
#include "model/statistics/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace ddproxy {
namespace {

TEST(Statistics, QuantilesAreInterpolated) {
  EXPECT_EQ(model::median({3, 1, 2}), 2);
  EXPECT_EQ(model::median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(model::quantile({0, 10}, 0.99), 9.9);
  EXPECT_TRUE(std::isnan(model::median({})));
}

TEST(Statistics, TheIntervalOfTheMedianUsesOrderStatisticsOrStudentsT) {
  // For 10 values, P(2 <= number of values below the median <= 8) = 97.9 %. The next narrower interval has
  // 89.1 %.
  EXPECT_EQ(model::median_estimate({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).low, 2);
  EXPECT_EQ(model::median_estimate({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).high, 9);
  // Too few values for order statistics: Student's interval, mean +- t s / sqrt(3). The closed form of t for
  // two degrees of freedom is (2 p - 1) / sqrt(2 p (1 - p)).
  const double t = 0.95 / std::sqrt(2 * 0.975 * 0.025);
  EXPECT_NEAR(model::median_estimate({5, 3, 4}).low, 4 - t / std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(model::median_estimate({5, 3, 4}).high, 4 + t / std::sqrt(3.0), 1e-8);
  EXPECT_EQ(model::median_estimate({5}).value, 5);
  EXPECT_TRUE(std::isnan(model::median_estimate({5}).noise()));  // unknown for one value
  std::vector<double> many(4001);
  std::iota(many.begin(), many.end(), 0);
  // 2000 -+ 1.96 sqrt(4001) / 2
  EXPECT_NEAR(model::median_estimate(many).low, 2000 - 62, 1);
  EXPECT_NEAR(model::median_estimate(many).high, 2000 + 62, 1);
}

TEST(Statistics, TheIntervalOfATimeDoesNotReachBelowZero) {
  const auto with_total = [](double total) { return Sample{{total}, {0.5}, {0.5}, {0}}; };
  const auto result = analyse({with_total(1), with_total(2)}, 0);
  EXPECT_EQ(result.total.low, 0);       // Student's interval would start at 1.5 - 12.7 * 0.5
  EXPECT_LT(result.exposed.low, -4.8);  // E may be below zero
}

TEST(Statistics, TheIntervalCoversTheMedianIn95To99PercentOfTrials) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> distribution(0, 1);  // median 1
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> values(15);
    for (double& value : values) value = distribution(random);
    const auto [value, low, high] = model::median_estimate(values);
    covered += low <= 1 && 1 <= high;
  }
  EXPECT_GE(covered, 1900);
  EXPECT_LE(covered, 1980);
}

// Student's interval of two to five values must contain the median in 94 to 96 % of the trials.
TEST(Statistics, TheIntervalOfFewValuesCoversTheMedianIn94To96PercentOfTrials) {
  std::mt19937 random(11);
  std::normal_distribution<double> distribution(100, 5);
  for (const std::size_t count : {2U, 3U, 4U, 5U}) {
    int covered = 0;
    for (int trial = 0; trial < 4000; ++trial) {
      std::vector<double> values(count);
      for (double& value : values) value = distribution(random);
      const auto [value, low, high] = model::median_estimate(values);
      EXPECT_TRUE(low <= value && value <= high);
      covered += low <= 100 && 100 <= high;
    }
    EXPECT_GE(covered, 3760) << count;
    EXPECT_LE(covered, 3840) << count;
  }
}

Sample sample(double compute, std::vector<double> backward, std::vector<double> total) {
  return {std::move(total), std::move(backward), {compute, compute - 0.1}, {0, 0}};
}

TEST(Analysis, SlowdownAndTailAddUpToExposed) {
  const auto result = analyse(std::vector<Sample>(2, sample(1, {1.2, 1.1}, {1.5, 1.4})), 0.8);
  EXPECT_DOUBLE_EQ(result.total.value, 1.5);
  EXPECT_NEAR(result.exposed.value, 0.5, 1e-12);
  EXPECT_NEAR(result.slowdown, 0.2, 1e-12);
  EXPECT_NEAR(result.tail, 0.3, 1e-12);
  EXPECT_NEAR(result.skew, 0.1, 1e-12);
  EXPECT_EQ(result.slowest_rank, 0);
  ASSERT_TRUE(result.overlap);
  EXPECT_NEAR(result.overlap->value, (1 + 0.8 - 1.5) / 0.8, 1e-12);
}

TEST(Analysis, OverlapIsNotGivenForASingleSample) {
  EXPECT_FALSE(analyse({sample(1, {1.2, 1.1}, {1.5, 1.4})}, 0.8).overlap);
}

TEST(Analysis, OverlapIsNotGivenIfTheNoiseIsTooLarge) {
  const auto result = analyse({sample(1, {1, 1}, {1.2, 1}), sample(1, {1, 1}, {2.2, 1})}, 0.3);
  EXPECT_FALSE(result.overlap);
}

TEST(Analysis, NoSampleIsAnError) {
  EXPECT_THROW(analyse({}, 1), std::invalid_argument);
}

CaseReport report(double cap, double measured, double predicted) {
  const std::vector<Sample> samples(2, sample(1, {1, 1}, {measured, measured}));
  CaseReport r{{model::strategy_named("bucketed"), cap, {}}, analyse(samples, 1), {}, 1};
  r.predicted.total = predicted;
  return r;
}

TEST(FigureOfMerit, ComesFromTheBestMeasuredBucketedCase) {
  const std::vector<CaseReport> reports{report(1, 1.5, 1.2), report(4, 1.25, 1.3), report(16, 2, 2)};
  const auto figures = judge(reports, 8, 4096);
  EXPECT_DOUBLE_EQ(figures.tokens_per_s, 8 * 4096 / 1.25);
  EXPECT_EQ(figures.bucket_mib, 4);
  EXPECT_NEAR(figures.regret, 1.5 / 1.25 - 1, 1e-12);  // the model would have chosen 1 MiB
  EXPECT_EQ(figures.why_no_error + figures.why_no_regret, "");
  EXPECT_NEAR(figures.model_error, (0.3 / 0.5 + 0.05 / 0.25 + 0) / 3, 1e-9);
}

// Returns a case of a strategy that was added and has caps.
CaseReport added(double cap, double measured, double predicted) {
  CaseReport made = report(cap, measured, predicted);
  made.item.strategy = {"added", model::BucketRule::cap, true, model::ddp};
  return made;
}

TEST(FigureOfMerit, UsesOnlyCasesOfTheStrategyBucketed) {
  const std::vector<CaseReport> own{report(1, 1.5, 1.2), report(4, 1.25, 1.3), report(16, 2, 2)};
  std::vector<CaseReport> all{added(1, 1.1, 1.9)};
  all.insert(all.end(), own.begin(), own.end());
  all.push_back(added(4, 1.2, 1.01));
  EXPECT_EQ(to_line(judge(all, 8, 4096)), to_line(judge(own, 8, 4096)));
  EXPECT_EQ(best_bucketed(all), &all[2]);
  std::vector<std::string> names;
  for (auto const& one : scored_cases(all)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"bucketed/1", "bucketed/4", "bucketed/16"}));
  EXPECT_EQ(best_bucketed({added(4, 1.2, 1.01)}), nullptr);
}

TEST(FigureOfMerit, TheRegretOfAPredictedTieIsTheMeanOfItsCases) {
  const std::vector<CaseReport> reports{report(1, 1.5, 1.2), report(4, 1.25, 1.2), report(16, 2, 2)};
  EXPECT_NEAR(judge(reports, 8, 4096).regret, (1.5 + 1.25) / 2 / 1.25 - 1, 1e-12);
}

TEST(FigureOfMerit, IsComparedWithTheLimits) {
  FigureOfMerit figures;
  figures.model_error = 0.1;
  figures.regret = 0.01;
  EXPECT_EQ(beyond_limits(figures, {}, {}), "");
  EXPECT_EQ(beyond_limits(figures, 0.1, 0.01), "");
  EXPECT_EQ(beyond_limits(figures, 0.05, {}), "model-error is 0.1, above --max-model-error 0.05");
  EXPECT_EQ(beyond_limits(figures, 0.1, 0.001), "regret is 0.01, above --max-regret 0.001");
  figures.regret = not_available;
  EXPECT_EQ(beyond_limits(figures, {}, 1),
            "regret is not known (nan), so it cannot be compared with --max-regret");
  figures.why_no_regret = "two caps";
  EXPECT_EQ(beyond_limits(figures, {}, 1),
            "regret is not known (nan), so it cannot be compared with --max-regret: two caps");
}

TEST(FigureOfMerit, SaysWhyTheScoreIsNotKnown) {
  const std::vector<CaseReport> few{report(1, 1.5, 1.2), report(4, 1.25, 1.3)};
  EXPECT_NE(judge(few, 8, 4096).why_no_regret.find("at least 3 caps are needed; measured: 2"),
            std::string::npos);
  auto noisy = few;
  noisy[1].measured->exposed = {0.25, 0.1, 0.4};
  const auto figures = judge(noisy, 8, 4096);
  EXPECT_TRUE(std::isnan(figures.model_error));
  EXPECT_TRUE(std::isnan(figures.model_error_beyond_noise));
  EXPECT_NE(figures.why_no_error.find("the noise of E of bucketed/4 is 150 ms, above the limit of 50 ms, "
                                      "which is 20 % of E; take more samples"),
            std::string::npos)
      << figures.why_no_error;
  auto small = noisy;
  small[1].measured->exposed = {0.001, -0.1, 0.1};
  const auto few_ms = judge(small, 8, 4096).why_no_error;
  EXPECT_NE(
      few_ms.find(
          "above the limit of 1.25 ms, which is 0.1 % of T (not 20 % of E, because E is below 0.5 % of T);"),
      std::string::npos)
      << few_ms;
  EXPECT_NE(beyond_limits(figures, 100, {}).find("model-error is not known (nan)"), std::string::npos);
  noisy[1].measured->exposed = {0.25, not_available, not_available};
  EXPECT_NE(judge(noisy, 8, 4096).why_no_error.find("bucketed/4 has one sample"), std::string::npos);
}

TEST(Score, HoldsTheMeasuredAndThePredictedExposedTimeOfACase) {
  const auto cases = scored_cases({report(1, 1.5, 1.2)});
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_NEAR(cases[0].measured.total(), 0.5, 1e-12);
  EXPECT_NEAR(cases[0].measured.tail, 0.5, 1e-12);
  EXPECT_NEAR(cases[0].predicted.total(), 0.2, 1e-12);
  EXPECT_TRUE(std::isnan(cases[0].uncontended));  // report() has no prediction without contention
}

TEST(FigureOfMerit, IsWrittenAsOneLineWithFixedKeys) {
  FigureOfMerit figures;
  EXPECT_EQ(to_line(figures),
            "DDPROXY_FOM tokens_per_s=nan backward_s=nan bucket_mib=nan exposed_s=nan tail_s=nan overlap=nan "
            "bus_bw_GBps=nan model_error=nan regret=nan model_error_beyond_noise=nan valid=false");
  figures.tokens_per_s = 66493.5;
  figures.bucket_mib = 0.0625;
  figures.model_error_beyond_noise = 0.0125;
  figures.valid = results::Validity::single;
  EXPECT_NE(to_line(figures).find("tokens_per_s=66493.5 "), std::string::npos);
  EXPECT_NE(to_line(figures).find("bucket_mib=0.0625 "), std::string::npos);
  EXPECT_TRUE(to_line(figures).ends_with(" model_error_beyond_noise=0.0125 valid=single"));
}

}  // namespace
}  // namespace ddproxy
