// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/best_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "model/csv.hpp"
#include "model/layer_cost.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

Job random_job(unsigned seed, std::size_t gradients, double bandwidth) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> step(0.0, 0.02);
  std::uniform_int_distribution<std::int64_t> size(1, 40);
  Job job;
  for (std::size_t i = 0; i < gradients; ++i) {
    job.t_compute += step(random);
    job.ready.push_back(job.t_compute);
    job.gradient_bytes.push_back(size(random));
  }
  job.cost = AlphaBeta{4e-3, bandwidth};
  return job;
}

/// GPT-2-large at batch 4, sequence 1024 on 8 A100s: the roofline and a published table.
Job large_job() {
  const Shape shape = find_preset("gpt2-large");
  const BackwardPass pass = backward_pass(shape);
  const std::vector<double> seconds = modelled_seconds(shape, pass, {4, 1024}, {156e12, 1.555e12, 0.25}, 4);
  Job job;
  std::vector<double> ends;
  for (const double s : seconds) ends.push_back(job.t_compute += s);
  for (Gradient const& gradient : pass.gradients) job.ready.push_back(ends[gradient.operation]);
  job.gradient_bytes = gradient_bytes(pass);
  job.cost = TableCost(read_allreduce(published("allreduce-8xa100-1node.csv")));
  return job;
}

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

TEST(BestPlan, TheOptimalPlanIsTheBestOfAll) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const double bandwidth : {500.0, 2000.0, 8000.0}) {
      const Job job = random_job(seed, 11, bandwidth);
      EXPECT_NEAR(simulate(job, optimal_plan(job)).total, least_of_all_plans(job), 1e-9) << "seed " << seed;
    }
  }
}

/// Small messages suffer most, as they do where a processor is shared.
const Contention by_size({{2, {0.95, 0.1}}, {20, {0.85, 0.4}}, {200, {0.7, 0.9}}});

TEST(BestPlan, WithContentionItIsNoWorseThanAnyCapAndNearTheBestOfAll) {
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

TEST(BestPlan, ItKnowsThatSmallMessagesSufferMore) {
  int better = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Job job = random_job(seed, 60, 2000);
    job.contention = by_size;
    Job blind = job;  // one pair for all sizes, that of a typical bucket
    const auto [kappa, gamma] = by_size(60);
    blind.contention = {kappa, gamma};
    const double optimal = simulate(job, optimal_plan(job)).total;
    const double planned_blindly = simulate(job, optimal_plan(blind)).total;
    EXPECT_LE(optimal, planned_blindly * (1 + 1e-9)) << "seed " << seed;
    better += optimal < 0.99 * planned_blindly ? 1 : 0;
  }
  EXPECT_GE(better, 10);
}

TEST(BestPlan, WithCopiesInItIsTheBestOfAll) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Job job = random_job(seed, 11, 2000);
    job.copies = {CopyMode::in, 3000, 1e-3};
    EXPECT_NEAR(simulate(job, optimal_plan(job)).total, least_of_all_plans(job), 1e-9) << "seed " << seed;
  }
}

TEST(BestPlan, AmongEqualsItHasNoMoreCallsThanItNeeds) {
  // Compute-bound with a large last gradient: what comes before has all the time there is, so one call is
  // enough.
  Job job;
  job.ready = {0.1, 0.2, 0.3, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 10, 1000};
  job.cost = AlphaBeta{1e-3, 1e5};
  EXPECT_EQ(optimal_plan(job), (Plan{{0, 2, 30}, {3, 3, 1000}}));
}

TEST(BestPlan, AmongEqualsItJoinsOnlyWhatStillMeetsTheDeadline) {
  // Sizes above 12 are slow. The two small gradients may ride with the fourth of 10 bytes, but no two of 10
  // bytes can go together, and no cap does the one without the other.
  Job job;
  job.ready = {0.1, 0.1, 0.1, 0.1, 0.50, 0.51, 0.65};
  job.t_compute = 0.65;
  job.gradient_bytes = {10, 10, 10, 10, 1, 1, 1000};
  job.cost = [](std::int64_t x) {
    return x <= 12 ? 0.01 * static_cast<double>(x) : 0.12 + 0.035 * static_cast<double>(x - 12);
  };
  EXPECT_EQ(optimal_plan(job), (Plan{{0, 0, 10}, {1, 1, 10}, {2, 2, 10}, {3, 5, 12}, {6, 6, 1000}}));
}

TEST(BestPlan, AmongEqualsItLeavesSomeRoomRatherThanMakeEveryCall) {
  // Three together would end just in time; two and one leave room and need a call less than one by one.
  Job job;
  job.ready = {0.1, 0.1, 0.2, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 10, 1000};
  job.cost = [](std::int64_t x) { return x <= 20 ? 0.1 : (x == 30 ? 0.799 : 1.0 * static_cast<double>(x)); };
  EXPECT_EQ(optimal_plan(job).size(), 3U);
}

TEST(BestPlan, AmongEqualsItKeepsAwayFromTheEdge) {
  // Together the first two would end just when the last one is ready, and a little late where calls take a
  // little longer.
  Job job;
  job.ready = {0.1, 0.2, 1.0};
  job.t_compute = 1.0;
  job.gradient_bytes = {10, 10, 1000};
  job.cost = [](std::int64_t x) { return x <= 10 ? 0.1 : (x == 20 ? 0.799 : 1.0 * static_cast<double>(x)); };
  EXPECT_EQ(optimal_plan(job).size(), 3U);
}

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

/// Steps of the plainer rule, "one byte above the smallest bucket that was closed", until the plan is flat.
/// It takes a step where the last bucket only passes from closed to open, too.
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

TEST(BestPlan, Gpt2LargeHas594PlansIn598Steps) {
  const Job job = large_job();
  std::set<std::vector<std::size_t>> plans;
  EXPECT_EQ(steps_of_the_plain_rule(job.gradient_bytes, plans), 598U);
  EXPECT_EQ(plans.size(), 594U);
  EXPECT_EQ(sweep_caps(job).size(), 594U);
}

TEST(BestPlan, ThePlateauIsWhereNothingIsBetter) {
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

TEST(BestPlan, WhatComputeDoesBehindTheLastGradientLowersTheFloor) {
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

TEST(BestPlan, ItsListOfCapsMakesThePlanAgain) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Job job = random_job(seed, 40, 2000);
    const Plan plan = optimal_plan(job);
    std::vector<std::int64_t> caps;
    for (const double cap : cap_list_mib(plan)) caps.push_back(static_cast<std::int64_t>(cap * 1024 * 1024));
    EXPECT_EQ(bucketed_plan(job.gradient_bytes, caps), plan);
  }
}

TEST(BestPlan, NothingToReduceIsNoPlan) {
  Job job;
  job.cost = AlphaBeta{1, 1};
  EXPECT_TRUE(optimal_plan(job).empty());
  EXPECT_EQ(floor_seconds(job), 0);
}

}  // namespace
}  // namespace ddproxy::model
