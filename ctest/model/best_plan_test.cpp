// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/best_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "jobs.hpp"

namespace ddproxy::model {
namespace {

TEST(BestPlan, TheSweepMissesNoCap) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Job job = random_job(seed, 12, 2000);
    for (const std::optional<std::int64_t> first :
         {std::optional<std::int64_t>{}, std::optional<std::int64_t>{25}}) {
      const auto sweep = sweep_caps(job, first);
      EXPECT_EQ(sweep.front().low, 1);
      EXPECT_EQ(sweep.back().high, any_cap);
      std::size_t range = 0;
      for (std::int64_t cap = 1; cap < 600; ++cap) {
        if (cap > sweep[range].high) ++range;
        ASSERT_EQ(sweep[range].low <= cap, cap <= sweep[range].high);
        const std::vector<std::int64_t> caps = first ? std::vector{*first, cap} : std::vector{cap};
        EXPECT_EQ(sweep[range].seconds, simulate(job, bucketed_plan(job.gradient_bytes, caps)).total);
      }
    }
  }
}

/// Returns the number of caps that a simpler rule tries, and adds their plans to `plans`. The first cap is 1
/// byte. The next cap is one byte above the smallest bucket that reached the cap. The rule ends when the plan
/// has one bucket. If this smallest bucket is the last one, the next cap gives the same plan: the last bucket
/// ends at the last gradient, whether it reaches the cap or not.
std::size_t steps_of_the_plain_rule(std::vector<std::int64_t> const& bytes,
                                    std::set<std::vector<std::size_t>>& plans) {
  std::size_t steps = 0;
  for (std::int64_t cap = 1;; ++steps) {
    const Plan plan = bucketed_plan(bytes, {&cap, 1});
    std::vector<std::size_t> last;
    for (Bucket const& bucket : plan) last.push_back(bucket.last);
    plans.insert(last);
    if (plan.size() == 1) return steps + 1;
    std::int64_t smallest = any_cap;
    for (Bucket const& bucket : plan) {
      if (bucket.bytes >= cap) smallest = std::min(smallest, bucket.bytes);
    }
    cap = smallest + 1;
  }
}

TEST(BestPlan, ThePlainRuleTakes598StepsForThe594PlansOfGpt2Large) {
  const Job job = large_job();
  std::set<std::vector<std::size_t>> plans;
  EXPECT_EQ(steps_of_the_plain_rule(job.gradient_bytes, plans), 598U);
  EXPECT_EQ(plans.size(), 594U);
  EXPECT_EQ(sweep_caps(job).size(), 594U);
}

TEST(BestPlan, BestCapsAreTheRangeWithinTheToleranceOfTheBestTime) {
  const std::vector<CapRange> sweep{
      {1, 4, 9, 2.0}, {5, 9, 7, 1.0}, {10, 19, 5, 1.0}, {20, 99, 3, 1.05}, {100, any_cap, 1, 3}};
  const CapRange exact = best_caps(sweep);
  EXPECT_EQ(exact.low, 5);
  EXPECT_EQ(exact.high, 19);
  EXPECT_EQ(exact.buckets, 7U);
  const CapRange loose = best_caps(sweep, 0.1);
  EXPECT_EQ(loose.low, 5);
  EXPECT_EQ(loose.high, 99);
  EXPECT_EQ(loose.seconds, 1.0);
  EXPECT_THROW(best_caps({}), std::invalid_argument);
}

TEST(BestPlan, NoPlanExposesLessThanTheFloor) {
  const Job job = large_job();
  const double floor = floor_seconds(job);
  EXPECT_EQ(floor, job.cost(50257LL * 1280 * 4));
  for (CapRange const& range : sweep_caps(job)) EXPECT_GE(range.seconds - job.t_compute, floor * (1 - 1e-12));
  const double exposed = simulate(job, optimal_plan(job)).total - job.t_compute;
  EXPECT_NEAR(exposed, floor, 1e-6);
}

TEST(BestPlan, ComputeAfterTheLastGradientLowersTheFloor) {
  Job job;
  job.ready = {1, 2};
  job.gradient_bytes = {10, 100};
  job.cost = AlphaBeta{0.1, 1000};
  job.t_compute = 2.05;
  EXPECT_NEAR(floor_seconds(job), 0.15, 1e-12);
  EXPECT_NEAR(simulate(job, optimal_plan(job)).total - job.t_compute, floor_seconds(job), 1e-12);
  job.t_compute = 3;
  EXPECT_EQ(floor_seconds(job), 0);
  EXPECT_EQ(simulate(job, optimal_plan(job)).total, job.t_compute);
}

}  // namespace
}  // namespace ddproxy::model
