// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/uncertainty.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "model/predict/best_plan.hpp"

namespace ddproxy::model {
namespace {

constexpr double call = 1e-3;
constexpr double bandwidth = 1e9;

/// Returns measurements of ten operations of 10 ms with one gradient each, and of all-reduces of three sizes.
/// `spread` is the relative standard deviation of the samples.
Measurements measurements_of(double spread, int samples, int ranks, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> scatter(1.0, spread);
  auto noisy = [&](double value) { return spread > 0 ? value * std::abs(scatter(random)) : value; };
  Measurements measurements;
  measurements.operations.assign(samples, std::vector(ranks, std::vector(10, 0.0)));
  for (auto& pass : measurements.operations) {
    for (auto& rank : pass) {
      for (double& seconds : rank) seconds = noisy(0.01);
    }
  }
  for (std::size_t i = 0; i < 10; ++i) {
    measurements.gradient_operation.push_back(i);
    measurements.gradient_bytes.push_back(8'000'000);
  }
  for (const std::int64_t size : {1'000'000, 10'000'000, 100'000'000}) {
    measurements.sizes.push_back(size);
    measurements.allreduce.emplace_back();
    for (int i = 0; i < samples; ++i) {
      measurements.allreduce.back().push_back(noisy(call + static_cast<double>(size) / bandwidth));
    }
  }
  return measurements;
}

std::vector<Plan> two_plans(Measurements const& measurements) {
  return {per_tensor_plan(measurements.gradient_bytes), flat_plan(measurements.gradient_bytes)};
}

TEST(Uncertainty, TheJobUsesTheMediansOfTheSamples) {
  Measurements measurements = measurements_of(0, 3, 1);
  measurements.operations[1][0][0] = 5;  // an outlier
  measurements.allreduce[0][2] = 7;
  const Job job = job_from(measurements, Jitter::left_out);
  EXPECT_NEAR(job.t_compute, 0.1, 1e-12);
  EXPECT_NEAR(job.ready[0], 0.01, 1e-12);
  EXPECT_NEAR(job.cost(1'000'000), call + 1e-3, 1e-9);
}

TEST(Uncertainty, AGradientIsReadyOnTheLastRankIfJitterIsIncluded) {
  Measurements measurements = measurements_of(0, 1, 2);
  measurements.operations[0][0] = std::vector<double>{3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  measurements.operations[0][1] = std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 9};
  const Job job = job_from(measurements, Jitter::included);
  EXPECT_DOUBLE_EQ(job.ready[0], 3);
  EXPECT_DOUBLE_EQ(job.ready[8], 11);
  EXPECT_DOUBLE_EQ(job.ready[9], 18);
  EXPECT_DOUBLE_EQ(job.t_compute, 18);
  EXPECT_DOUBLE_EQ(job_from(measurements, Jitter::left_out).ready[0], 2);
}

TEST(Uncertainty, BandsHaveNoWidthIfTheSamplesDoNotScatter) {
  const Measurements measurements = measurements_of(0, 5, 2);
  const auto plans = two_plans(measurements);
  const Bands bands = bootstrap(measurements, Jitter::included, plans, 20);
  const Job job = job_from(measurements, Jitter::included);
  for (std::size_t k = 0; k < plans.size(); ++k) {
    EXPECT_DOUBLE_EQ(bands.total[k].low, simulate(job, plans[k]).total);
    EXPECT_EQ(bands.total[k].low, bands.total[k].high);
    EXPECT_DOUBLE_EQ(bands.exposed[k].low, simulate(job, plans[k]).total - job.t_compute);
  }
  const CapRange best = best_caps(sweep_caps(job));
  EXPECT_EQ(bands.best_cap.low, static_cast<double>(best.low));
  EXPECT_EQ(bands.best_cap.high, static_cast<double>(best.high));
}

TEST(Uncertainty, BandsHoldTheTrueTotalWithAboutTheStatedProbability) {
  const Job truth = job_from(measurements_of(0, 1, 1), Jitter::left_out);
  int held = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Measurements measurements = measurements_of(0.1, 15, 1, seed + 1);
    const auto plans = two_plans(measurements);
    const Bands bands = bootstrap(measurements, Jitter::left_out, plans, 100, seed);
    const double exact = simulate(truth, plans[1]).total;
    held += bands.total[1].low <= exact && exact <= bands.total[1].high ? 1 : 0;
  }
  EXPECT_GE(held, 85);
  EXPECT_LE(held, 100);
}

/// Ten operations without noise. Their speed differs between phases, with the relative standard deviation
/// `deviation`. The operations were measured in the first of three phases. `truth` has their times in a
/// fourth phase.
struct Phases {
  Phases(double deviation, unsigned seed) : measurements(measurements_of(0, 3, 1)) {
    std::mt19937 random(seed);
    std::normal_distribution<double> scatter(0, deviation);
    for (int phase = 0; phase < 3; ++phase)
      measurements.drift.compute.push_back(0.1 * std::exp(scatter(random)));
    for (auto& pass : measurements.operations)
      for (double& seconds : pass[0]) seconds *= measurements.drift.compute[0] / 0.1;
    truth = measurements_of(0, 3, 1);
    const double factor = std::exp(scatter(random));
    for (auto& pass : truth.operations)
      for (double& seconds : pass[0]) seconds *= factor;
  }
  bool held() const {
    const auto plans = two_plans(measurements);
    const Band band = bootstrap(measurements, Jitter::left_out, plans, 100).total[1];
    const double total = simulate(job_from(truth, Jitter::left_out), plans[1]).total;
    return band.low <= total && total <= band.high;
  }
  Measurements measurements, truth;
};

TEST(Uncertainty, BandsHoldTheTotalOfAnotherPhaseWithAboutTheStatedProbability) {
  int held = 0, held_without = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Phases phases(0.03, seed);
    held += phases.held();
    phases.measurements.drift = {};
    held_without += phases.held();
  }
  EXPECT_GE(held, 180);
  EXPECT_LE(held, 200);
  EXPECT_LT(held_without, 20) << "the samples of one phase do not show how phases differ";
}

TEST(Uncertainty, DifferencesBetweenAllReducePhasesWidenTheBands) {
  Measurements measurements = measurements_of(0, 3, 1);
  const auto plans = two_plans(measurements);
  const double total = simulate(job_from(measurements, Jitter::left_out), plans[1]).total;
  measurements.drift.allreduce = {1, 1.02, 0.99};
  const Band band = bootstrap(measurements, Jitter::left_out, plans).total[1];
  EXPECT_LT(band.low, total);
  EXPECT_GT(band.high, total);
  measurements.drift = {{0.1, 0.1, 0.1}, {2, 2, 2}};
  const Band equal = bootstrap(measurements, Jitter::left_out, plans).total[1];
  EXPECT_EQ(equal.low, equal.high);
}

// Two phases leave one degree of freedom. Student's distribution then has no finite variance.
TEST(Uncertainty, TwoPhasesThatDifferMuchGiveFiniteBands) {
  auto measurements = measurements_of(0, 3, 1);
  measurements.drift = {{0.05, 0.1}, {1e-3, 5e-3}};
  const Bands bands = bootstrap(measurements, Jitter::included, two_plans(measurements), 2000, 1);
  for (auto const& total : bands.total) {
    EXPECT_GT(total.low, 0);
    EXPECT_TRUE(std::isfinite(total.high));
  }
}

TEST(Uncertainty, MoreSamplesMakeNarrowerBands) {
  const Measurements few = measurements_of(0.1, 10, 1);
  const Measurements many = measurements_of(0.1, 160, 1);
  const Band wide = bootstrap(few, Jitter::left_out, two_plans(few)).total[1];
  const Band narrow = bootstrap(many, Jitter::left_out, two_plans(many)).total[1];
  EXPECT_LT(narrow.high - narrow.low, 0.6 * (wide.high - wide.low));
}

TEST(Uncertainty, ScatterOfTheContentionWidensTheBands) {
  Measurements measurements = measurements_of(0, 5, 1);
  measurements.contention = {{1000, {{0.8, 0.5}, {0.8, 0.6}, {0.8, 0.7}, {0.8, 0.8}, {0.8, 0.9}}}};
  const auto plans = two_plans(measurements);
  const Bands bands = bootstrap(measurements, Jitter::left_out, plans);
  const double middle = simulate(job_from(measurements, Jitter::left_out), plans[0]).total;
  EXPECT_LT(bands.total[0].low, middle);
  EXPECT_GT(bands.total[0].high, middle);
}

TEST(Uncertainty, TheIntervalOfTheBestCapEndsAtCapsThatChangeThePlan) {
  // With ten gradients of 8 MB, the caps that give the same plan go from one byte above a multiple of 8 MB to
  // a multiple of 8 MB.
  Measurements measurements = measurements_of(0.3, 9, 1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Band caps = bootstrap(measurements, Jitter::included, two_plans(measurements), 20, seed).best_cap;
    EXPECT_EQ(std::fmod(caps.low - 1, 8e6), 0) << caps.low;
    EXPECT_TRUE(std::fmod(caps.high, 8e6) == 0 || caps.high == static_cast<double>(any_cap)) << caps.high;
  }
}

TEST(Uncertainty, TheIntervalOfTheBestCapDependsOnTheFirstBucket) {
  Measurements measurements = measurements_of(0, 3, 1);
  for (std::size_t i = 0; i < 10; ++i)
    measurements.gradient_bytes[i] = static_cast<std::int64_t>(1 + i) * 3'000'000;
  const auto interval = [&] {
    return bootstrap(measurements, Jitter::included, two_plans(measurements), 5).best_cap;
  };
  const Band plain = interval();
  measurements.first_bucket = 40'000'000;
  const Band behind = interval();
  const CapRange best =
      best_caps(sweep_caps(job_from(measurements, Jitter::included), measurements.first_bucket));
  EXPECT_EQ(behind.low, static_cast<double>(best.low));
  EXPECT_EQ(behind.high, static_cast<double>(best.high));
  EXPECT_TRUE(behind.low != plain.low || behind.high != plain.high);
}

TEST(Uncertainty, TheSameSeedGivesTheSameBands) {
  const Measurements measurements = measurements_of(0.1, 10, 2);
  const auto plans = two_plans(measurements);
  EXPECT_EQ(bootstrap(measurements, Jitter::included, plans, 50, 7).total[0].low,
            bootstrap(measurements, Jitter::included, plans, 50, 7).total[0].low);
  EXPECT_NE(bootstrap(measurements, Jitter::included, plans, 50, 7).total[0].low,
            bootstrap(measurements, Jitter::included, plans, 50, 8).total[0].low);
}

TEST(Uncertainty, TheWaterfallAddsOneTermAtATime) {
  Measurements measurements = measurements_of(0.1, 9, 4);
  measurements.contention = {{1000, {{0.8, 0.7}}}};
  measurements.copies = {CopyMode::in_out, 1e10, 1e-5};
  const Plan plan = per_tensor_plan(measurements.gradient_bytes);
  const Waterfall waterfall = explain(measurements, plan);
  Job job = job_from(measurements, Jitter::left_out);
  EXPECT_EQ(waterfall.copies, simulate(job, plan).total - job.t_compute);
  job.copies = {};
  EXPECT_EQ(waterfall.contention, simulate(job, plan).total - job.t_compute);
  job.contention = {};
  EXPECT_EQ(waterfall.ideal, simulate(job, plan).total - job.t_compute);
  EXPECT_LT(waterfall.ideal, waterfall.contention);
  EXPECT_LT(waterfall.contention, waterfall.copies);
  const Job jittery = job_from(measurements, Jitter::included);
  EXPECT_EQ(waterfall.jitter, simulate(jittery, plan).total - jittery.t_compute);
}

TEST(Uncertainty, RefusesIncompleteMeasurements) {
  Measurements measurements = measurements_of(0, 2, 2);
  measurements.operations[1].pop_back();
  EXPECT_THROW(job_from(measurements, Jitter::included), std::invalid_argument);
  measurements = measurements_of(0, 2, 2);
  measurements.operations[1][1].pop_back();
  EXPECT_THROW(job_from(measurements, Jitter::included), std::invalid_argument);
  measurements = measurements_of(0, 2, 2);
  measurements.allreduce[1].clear();
  EXPECT_THROW(job_from(measurements, Jitter::included), std::invalid_argument);
  measurements = measurements_of(0, 2, 2);
  measurements.gradient_operation[3] = 10;
  EXPECT_THROW(job_from(measurements, Jitter::included), std::invalid_argument);
  EXPECT_THROW(job_from({}, Jitter::included), std::invalid_argument);
  EXPECT_THROW(bootstrap(measurements_of(0, 2, 2), Jitter::included, {}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
