// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "jobs.hpp"
#include "model/predict/best_plan.hpp"

namespace ddproxy::model {
namespace {

std::vector<std::size_t> ends_of(unsigned bits, std::size_t gradients) {
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i + 1 < gradients; ++i) {
    if (bits & (1U << i)) last.push_back(i);
  }
  last.push_back(gradients - 1);
  return last;
}

double least_of_all_plans(Job const& job) {
  const std::size_t n = job.gradient_bytes.size();
  double best = std::numeric_limits<double>::infinity();
  for (unsigned bits = 0; bits < (1U << (n - 1)); ++bits) {
    best = std::min(best, simulate(job, plan_ending_at(job.gradient_bytes, ends_of(bits, n))).total);
  }
  return best;
}

TEST(OptimalPlan, IsTheBestOfAllPlans) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const double bandwidth : {500.0, 2000.0, 8000.0}) {
      const Job job = random_job(seed, 11, bandwidth);
      EXPECT_NEAR(simulate(job, optimal_plan(job)).total, least_of_all_plans(job), 1e-9) << "seed " << seed;
    }
  }
}

TEST(OptimalPlan, IsTheBestOfAllPlansWithHandovers) {
  int different = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const double bandwidth : {500.0, 2000.0, 8000.0}) {
      Job job = random_job(seed, 11, bandwidth);
      const Plan without = optimal_plan(job);
      job.handover = 8e-3;
      const double least = least_of_all_plans(job);
      EXPECT_NEAR(simulate(job, optimal_plan(job)).total, least, 1e-9) << "seed " << seed;
      different += simulate(job, without).total > least + 1e-9;
    }
  }
  EXPECT_GE(different, 30) << "the plan that ignores handovers is too often the best plan";
}

/// Contention that slows small all-reduces most. This occurs if compute and all-reduces share a processor.
const Contention by_size({{2, {0.95, 0.1}}, {20, {0.85, 0.4}}, {200, {0.7, 0.9}}});

TEST(OptimalPlan, IsNoWorseThanAnyCapAndNearTheBestPlanWithContention) {
  double mean = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (const double bandwidth : {500.0, 2000.0, 8000.0}) {
      for (Contention const& contention : {Contention{0.7, 0.6}, by_size}) {
        Job job = random_job(seed, 11, bandwidth);
        job.contention = contention;
        const double optimal = simulate(job, optimal_plan(job)).total;
        EXPECT_LE(optimal, best_caps(sweep_caps(job)).seconds * (1 + 1e-9));
        const double regret = optimal / least_of_all_plans(job) - 1;
        EXPECT_LE(regret, 0.02) << "seed " << seed << ", bandwidth " << bandwidth;
        mean += regret / 240;
      }
    }
  }
  EXPECT_LE(mean, 5e-4);
}

TEST(OptimalPlan, UsesTheContentionOfEachMessageSize) {
  int better = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Job job = random_job(seed, 60, 2000);
    job.contention = by_size;
    Job blind = job;  // kappa and gamma of a typical bucket hold for all sizes
    const auto [kappa, gamma] = by_size(60);
    blind.contention = {kappa, gamma};
    const double optimal = simulate(job, optimal_plan(job)).total;
    const double planned_blindly = simulate(job, optimal_plan(blind)).total;
    EXPECT_LE(optimal, planned_blindly * (1 + 1e-9)) << "seed " << seed;
    better += optimal < 0.99 * planned_blindly ? 1 : 0;
  }
  EXPECT_GE(better, 10);
}

TEST(OptimalPlan, IsTheBestOfAllPlansWithCopiesIntoBuckets) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Job job = random_job(seed, 11, 2000);
    job.copies = {CopyMode::in, 3000, 1e-3};
    EXPECT_NEAR(simulate(job, optimal_plan(job)).total, least_of_all_plans(job), 1e-9) << "seed " << seed;
  }
}

TEST(OptimalPlan, JoinsGradientsIfTheTotalTimeStaysTheSame) {
  // The job is compute-bound, with a large last gradient. One call for all earlier gradients ends long before
  // the last gradient is ready, so one call is enough.
  Job job;
  job.ready = {0.1, 0.2, 0.3, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 10, 1000};
  job.cost = AlphaBeta{1e-3, 1e5};
  EXPECT_EQ(optimal_plan(job), (Plan{{0, 2, 30, 0}, {3, 3, 1000, 30}}));
}

TEST(OptimalPlan, JoinsOnlyGradientsThatStillMeetTheDeadline) {
  // Buckets of more than 12 bytes are slow. The deadline is the time at which the last gradient is ready. The
  // two gradients of 1 byte can join the fourth gradient of 10 bytes and still meet it. If two gradients of
  // 10 bytes joined, the buckets would miss it. No cap gives this plan.
  Job job;
  job.ready = {0.1, 0.1, 0.1, 0.1, 0.50, 0.51, 0.65};
  job.t_compute = 0.65;
  job.gradient_bytes = {10, 10, 10, 10, 1, 1, 1000};
  job.cost = [](std::int64_t x) {
    return x <= 12 ? 0.01 * static_cast<double>(x) : 0.12 + 0.035 * static_cast<double>(x - 12);
  };
  EXPECT_EQ(optimal_plan(job),
            (Plan{{0, 0, 10, 0}, {1, 1, 10, 10}, {2, 2, 10, 20}, {3, 5, 12, 30}, {6, 6, 1000, 42}}));
}

TEST(OptimalPlan, JoinsFewerGradientsToLeaveTimeBeforeTheDeadline) {
  // One bucket of the first three gradients would end just in time. Two buckets, of two gradients and of one,
  // leave some time to spare, with one call fewer than three buckets.
  Job job;
  job.ready = {0.1, 0.1, 0.2, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 10, 1000};
  job.cost = [](std::int64_t x) { return x <= 20 ? 0.1 : (x == 30 ? 0.799 : 1.0 * static_cast<double>(x)); };
  EXPECT_EQ(optimal_plan(job).size(), 3U);
}

TEST(OptimalPlan, DoesNotJoinGradientsIfTheBucketWouldEndJustInTime) {
  // One bucket of the first two gradients would end just when the last gradient is ready. It would be late if
  // calls took a little longer.
  Job job;
  job.ready = {0.1, 0.2, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 1000};
  job.cost = [](std::int64_t x) { return x <= 10 ? 0.1 : (x == 20 ? 0.799 : 1.0 * static_cast<double>(x)); };
  EXPECT_EQ(optimal_plan(job).size(), 3U);
}

TEST(OptimalPlan, CapListReproducesThePlan) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Job job = random_job(seed, 40, 2000);
    const Plan plan = optimal_plan(job);
    std::vector<std::int64_t> caps;
    for (const double cap : cap_list_mib(plan)) caps.push_back(static_cast<std::int64_t>(cap * 1024 * 1024));
    EXPECT_EQ(bucketed_plan(job.gradient_bytes, caps), plan);
  }
}

TEST(OptimalPlan, IsEmptyIfThereIsNothingToReduce) {
  Job job;
  job.cost = AlphaBeta{1, 1};
  EXPECT_TRUE(optimal_plan(job).empty());
  EXPECT_EQ(floor_seconds(job), 0);
}

}  // namespace
}  // namespace ddproxy::model
