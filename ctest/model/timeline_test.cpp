// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace ddproxy::model {
namespace {

/// A backward pass, and a plan of its gradients.
struct Case {
  std::vector<double> ready;        ///< [gradient] seconds
  std::vector<std::int64_t> bytes;  ///< [gradient]
  Plan plan;
  double t_compute;  ///< seconds
};

Case random_case(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> step(0.0, 0.02);
  std::uniform_int_distribution<std::int64_t> size(1, 4000);
  Case c{{}, {}, {}, 0};
  for (int i = 0; i < 40; ++i) {
    c.t_compute += step(random);
    c.ready.push_back(c.t_compute);
    c.bytes.push_back(size(random));
  }
  c.t_compute += step(random);
  const std::int64_t cap = size(random) * 3;
  c.plan = bucketed_plan(c.bytes, {&cap, 1});
  return c;
}

/// Returns T by the recurrence of wait-free backpropagation (model/predict/timeline.hpp).
double recurrence(Case const& c, AllreduceCost const& cost) {
  double end = 0;
  for (Bucket const& bucket : c.plan) end = std::max(c.ready[bucket.last], end) + cost(bucket.bytes);
  return std::max(c.t_compute, end);
}

/// The result of a simulation in small time steps. While an all-reduce is in flight, compute advances at the
/// speed kappa. While compute runs, the all-reduce advances at the speed gamma.
struct Stepped {
  double total = 0;
  double backward_end = 0;
};

Stepped step_through(Case const& c, AllreduceCost const& cost, Contention const& contention, double dt) {
  Stepped result;
  double computed = 0;
  std::size_t next = 0;
  double left = cost(c.plan[0].bytes);
  double t = 0;
  while (computed < c.t_compute || next < c.plan.size()) {
    const bool computing = computed < c.t_compute;
    const bool in_flight = next < c.plan.size() && computed >= c.ready[c.plan[next].last];
    const auto [kappa, gamma] = in_flight ? contention(c.plan[next].bytes) : Speeds{};
    t += dt;
    if (computing) computed += dt * kappa;
    if (computing && computed >= c.t_compute) result.backward_end = t;
    if (!in_flight) continue;
    left -= dt * (computing ? gamma : 1.0);
    if (left > 0) continue;
    ++next;
    if (next < c.plan.size()) left += cost(c.plan[next].bytes);
  }
  result.total = t;
  return result;
}

const AlphaBeta cost{2e-3, 2e5};
const Contention by_size({{10, {0.95, 0.3}}, {100, {0.8, 0.5}}, {1000, {0.7, 0.9}}});

TEST(Timeline, EqualsTheRecurrenceToTheLastBitWithoutContention) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Case c = random_case(seed);
    const Timeline timeline = simulate(c.ready, c.t_compute, c.plan, cost);
    EXPECT_EQ(timeline.total, recurrence(c, cost));
    EXPECT_EQ(timeline.backward_end, c.t_compute);
  }
}

TEST(Timeline, AgreesWithASimulationInSmallTimeStepsWithContention) {
  const double dt = 1e-5;
  for (unsigned seed = 0; seed < 10; ++seed) {
    for (Contention const& contention : {Contention{1, 1}, Contention{0.8, 1}, Contention{1, 0.7},
                                         Contention{0.6, 0.5}, Contention{0.9, 0.25}, by_size}) {
      const Case c = random_case(seed);
      const Timeline timeline = simulate(c.ready, c.t_compute, c.plan, cost, contention);
      const Stepped stepped = step_through(c, cost, contention, dt);
      // Each bucket may start and end late by one time step.
      const double tolerance = dt * (2.0 * static_cast<double>(c.plan.size()) + 2) / contention(1).gamma;
      EXPECT_NEAR(timeline.total, stepped.total, tolerance)
          << "seed " << seed << ", kappa " << contention(1).kappa;
      EXPECT_NEAR(timeline.backward_end, stepped.backward_end, tolerance);
    }
  }
}

// Communication is the bottleneck: gradients are ready at 1 to 4 ms, and each call takes 10 ms. So each
// handover makes T longer by its whole time.
TEST(Timeline, AddsTheHandoverTimeOfEachOverlappedBucket) {
  Job job;
  job.ready = {1e-3, 2e-3, 3e-3, 4e-3};
  job.t_compute = 5e-3;
  job.gradient_bytes = {1, 1, 1, 1};
  job.cost = AlphaBeta{10e-3, 1e12};
  const auto adds = [&](std::vector<std::size_t> const& last) {
    const Plan plan = plan_ending_at(job.gradient_bytes, last);
    job.handover = 0;
    const double before = simulate(job, plan).total;
    job.handover = 1e-3;
    return simulate(job, plan).total - before;
  };
  EXPECT_NEAR(adds({3}), 1e-3, 1e-12);
  EXPECT_NEAR(adds({1, 3}), 2e-3, 1e-12);
  EXPECT_NEAR(adds({0, 1, 2, 3}), 4e-3, 1e-12);
  job.ready = {1e-3, 1e-3, 3e-3, 3e-3};
  EXPECT_NEAR(adds({0, 1, 2, 3}), 2e-3, 1e-12) << "the buckets of one operator are handed over together";
  job.ready.back() = job.t_compute;
  EXPECT_NEAR(adds({0, 1, 2, 3}), 2e-3, 1e-12) << "the host carries out the last bucket itself";
}

TEST(Timeline, TwoBucketsWithContentionMatchHandCalculation) {
  const std::vector<double> ready{1.0, 3.0};
  const Plan plan{{0, 0, 1, 0}, {1, 1, 2, 1}};
  const AllreduceCost two_seconds = [](std::int64_t) { return 2.0; };
  // Compute and the first all-reduce run at half speed: the all-reduce from 1 s to 5 s, and in the same time
  // the remaining 2 s of compute.
  const Timeline timeline = simulate(ready, 3.0, plan, two_seconds, {0.5, 0.5});
  EXPECT_DOUBLE_EQ(timeline.buckets[0].start, 1);
  EXPECT_DOUBLE_EQ(timeline.buckets[0].end, 5);
  EXPECT_DOUBLE_EQ(timeline.backward_end, 5);
  EXPECT_DOUBLE_EQ(timeline.slowdown(3.0), 2);
  EXPECT_DOUBLE_EQ(timeline.buckets[1].start, 5);
  EXPECT_DOUBLE_EQ(timeline.total, 7);
  EXPECT_DOUBLE_EQ(timeline.tail(), 2);
}

TEST(Timeline, ContentionNeverHelps) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Case c = random_case(seed);
    const double ideal = simulate(c.ready, c.t_compute, c.plan, cost).total;
    const double kappa_only = simulate(c.ready, c.t_compute, c.plan, cost, {0.8, 1}).total;
    const double both = simulate(c.ready, c.t_compute, c.plan, cost, {0.8, 0.8}).total;
    EXPECT_LE(ideal, kappa_only);
    EXPECT_LE(kappa_only, both + 1e-12);
  }
}

TEST(Timeline, CopiesMatchHandCalculation) {
  const std::vector<double> ready{1.0, 3.0};
  const Plan plan{{0, 0, 10, 0}, {1, 1, 20, 10}};
  const AllreduceCost two_seconds = [](std::int64_t) { return 2.0; };
  // Each copy in takes 0.5 s plus its bytes at 10 bytes/s: 1.5 s, then 2.5 s, on the compute side.
  const Copies in{CopyMode::in, 10, 0.5};
  const Timeline copied = simulate(ready, 4.0, plan, two_seconds, {}, in);
  EXPECT_DOUBLE_EQ(copied.buckets[0].start, 2.5);
  EXPECT_DOUBLE_EQ(copied.buckets[1].start, 7);
  EXPECT_DOUBLE_EQ(copied.backward_end, 8);
  EXPECT_DOUBLE_EQ(copied.slowdown(4.0), 4);
  EXPECT_DOUBLE_EQ(copied.total, 9);
  // Copies out: the first bucket is copied from 8 to 9.5 s. The reduction of the second bucket ends at 9 s.
  // The second bucket is copied from 9.5 to 12 s.
  const Timeline back = simulate(ready, 4.0, plan, two_seconds, {}, {CopyMode::in_out, 10, 0.5});
  EXPECT_DOUBLE_EQ(back.total, 12);
  EXPECT_DOUBLE_EQ(back.backward_end, 8);
}

TEST(Timeline, ContentionSlowsCopiesLikeCompute) {
  // The first bucket is ready at once. It is copied from 0 s to 1 s. Its collective takes from 1 s to 3 s,
  // and halves the speed of compute. The second bucket is ready after 0.5 s of compute, that is, at 2 s. Its
  // copy takes 0.5 s alone, but 1 s during the collective. The last second of compute has full speed.
  const Timeline timeline =
      simulate(std::vector<double>{0.0, 0.5}, 1.5, {{0, 0, 10, 0}, {1, 1, 5, 10}},
               [](std::int64_t bytes) { return bytes == 10 ? 2.0 : 0.0; }, {0.5, 1}, {CopyMode::in, 10, 0});
  EXPECT_DOUBLE_EQ(timeline.buckets[0].start, 1);
  EXPECT_DOUBLE_EQ(timeline.buckets[0].end, 3);
  EXPECT_DOUBLE_EQ(timeline.buckets[1].start, 3);
  EXPECT_DOUBLE_EQ(timeline.backward_end, 4);
}

TEST(Timeline, NothingOverlapsIfGradientsAreReadyAfterTheBackwardPass) {
  const Case c = random_case(7);
  const std::vector<double> ready(c.ready.size(), c.t_compute);
  const Timeline timeline = simulate(ready, c.t_compute, c.plan, cost, {0.5, 0.5});
  EXPECT_DOUBLE_EQ(timeline.total, c.t_compute + communication_seconds(c.plan, cost));
  EXPECT_EQ(timeline.backward_end, c.t_compute);
  EXPECT_EQ(timeline.buckets.front().start, c.t_compute);
}

TEST(Timeline, RefusesInvalidInputs) {
  const std::vector<double> ready{1.0, 2.0};
  const Plan plan{{0, 1, 2, 0}};
  EXPECT_THROW(simulate(ready, 2, plan, cost, {0, 1}), std::invalid_argument);
  EXPECT_THROW(simulate(ready, 2, plan, cost, {1, 1.1}), std::invalid_argument);
  EXPECT_THROW(simulate(ready, 2, plan, cost, {std::numeric_limits<double>::quiet_NaN(), 1}),
               std::invalid_argument);
  EXPECT_THROW(simulate(ready, 1, plan, cost), std::invalid_argument);
  EXPECT_THROW(simulate(std::vector<double>{2, 1}, 2, plan, cost), std::invalid_argument);
  EXPECT_THROW(simulate(ready, 2, plan, cost, {}, {CopyMode::in, 0, 0}), std::invalid_argument);
  EXPECT_THROW(simulate(std::vector<double>{1}, 2, plan, cost), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
