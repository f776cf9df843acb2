// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "ctest/model/jobs.hpp"
#include "ctest/model/random_number.hpp"
#include "model/predict/graph/ddp_costs.hpp"
#include "model/predict/graph/predict_strategy.hpp"
#include "model/predict/graph/simulate_step.hpp"
#include "model/predict/graph/summarise.hpp"
#include "model/step/strategies/ddp.hpp"

// Compares simulate(RankGraphs) with the recurrences of timeline.hpp. ddproxy uses the recurrences where it
// predicts many plans, because they are faster.

namespace ddproxy::model {
namespace {

constexpr double tolerance = 1e-12;  // relative

/// A model with the seconds of its operators, and the Job that describes the same backward pass.
struct Subject {
  BackwardPass pass;
  std::vector<double> seconds;  // [operator]
  Job job;
};

Subject subject(Shape const& shape, std::vector<double> seconds) {
  Subject s{backward_pass(shape), std::move(seconds), {}};
  std::vector<double> ends;
  for (const double each : s.seconds) ends.push_back(s.job.t_compute += each);
  for (Gradient const& gradient : s.pass.gradients) {
    s.job.ready.push_back(ends[gradient.operation]);
    s.job.gradient_bytes.push_back(gradient.numel * 4);
  }
  return s;
}

double real(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Returns a job with operators of 0 to 10 ms, some of which take no time. Without their latency, its
/// all-reduces together take 0.1 to 10 times as long as compute.
Subject random_subject(Shape const& shape, std::mt19937& random) {
  std::vector<double> seconds(backward_pass(shape).operations.size());
  for (double& each : seconds) each = number(random, 0, 4) == 0 ? 0 : real(random, 0, 0.01);
  Subject s = subject(shape, std::move(seconds));
  const double rho = std::pow(10, real(random, -1, 1));
  const double bytes = static_cast<double>(parameters(s.pass)) * 4;
  s.job.cost = AlphaBeta{real(random, 0, 1e-3), bytes / (rho * s.job.t_compute)};
  return s;
}

Shape random_shape(std::mt19937& random) {
  Shape shape = find_preset("tiny");
  shape.layers = number(random, 1, 6);
  shape.tied = number(random, 0, 1) == 1;
  shape.biases = number(random, 0, 1) == 1;
  if (number(random, 0, 1) == 1) {
    shape.norm = Norm::rmsnorm;
    shape.positions = Positions::none;
    shape.qkv = Qkv::separate;
    shape.activation = Activation::swiglu;
  }
  return shape;
}

Plan random_plan(std::vector<std::int64_t> const& bytes, std::mt19937& random) {
  if (number(random, 0, 3) == 0) return flat_plan(bytes);
  if (number(random, 0, 3) == 0) return per_tensor_plan(bytes);
  std::vector<std::size_t> last;
  for (std::size_t g = 0; g + 1 < bytes.size(); ++g) {
    if (number(random, 0, 3) == 0) last.push_back(g);
  }
  last.push_back(bytes.size() - 1);
  return plan_ending_at(bytes, last);
}

Contention random_contention(std::mt19937& random) {
  const auto speed = [&] { return real(random, 0.1, 1); };
  if (number(random, 0, 2) == 0) return {};
  if (number(random, 0, 1) == 0) return {speed(), speed()};
  return Contention({{1000, {speed(), speed()}}, {100000, {speed(), speed()}}, {mib(4), {speed(), speed()}}});
}

void expect_same(Timeline const& timeline, Summary const& summary, std::vector<Interval> const& reduced,
                 double t_compute) {
  const double near = tolerance * timeline.total;
  ASSERT_NEAR(summary.total, timeline.total, near);
  ASSERT_NEAR(summary.compute_end, timeline.backward_end, tolerance * timeline.backward_end);
  ASSERT_NEAR(summary.exposed, timeline.total - t_compute, near);
  ASSERT_NEAR(summary.slowdown, timeline.slowdown(t_compute), near);
  ASSERT_NEAR(summary.tail, timeline.tail(), near);
  ASSERT_EQ(reduced.size(), timeline.buckets.size());
  for (std::size_t k = 0; k < reduced.size(); ++k) {
    ASSERT_NEAR(reduced[k].start, timeline.buckets[k].start, near) << "bucket " << k;
    ASSERT_NEAR(reduced[k].end, timeline.buckets[k].end, near) << "bucket " << k;
  }
}

void compare(Subject const& s, Plan const& plan, bool overlapped = true) {
  Job const& job = s.job;
  const RankGraphs step = ddp(s.pass, {plan, overlapped, job.copies.mode}, 4);
  const StepCosts costs =
      ddp_costs(step, s.pass, s.seconds, job.cost, job.contention, job.copies, job.handover);
  const StepTraces traces = simulate(step, costs);
  ASSERT_EQ(traces.classes.size(), 1U);
  ASSERT_TRUE(traces.warnings.empty());
  StepGraph const& graph = step.classes[0].graph;
  StepTrace const& trace = traces.classes[0].trace;
  std::vector<Interval> reduced;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    if (std::holds_alternative<Collective>(graph.tasks[t].work))
      reduced.push_back({trace.tasks[t].start, trace.tasks[t].end});
  }
  const double alone = compute_seconds(graph, costs, 0);
  ASSERT_NEAR(alone, job.t_compute, tolerance * job.t_compute);
  // Without overlap all all-reduces start after the backward pass, so no compute runs at the same time. The
  // recurrence has the same result if every gradient is ready at the end of the pass.
  const std::vector<double> ready(job.ready.size(), job.t_compute);
  expect_same(overlapped ? simulate(job, plan) : simulate(ready, job.t_compute, plan, job.cost),
              summarise(graph, trace, {.compute_alone = alone}), reduced, alone);
}

double simulate_naive(Subject const& s, Plan const& plan) {
  const RankGraphs step = ddp(s.pass, {plan, false}, 4);
  return simulate(step, ddp_costs(step, s.pass, s.seconds, s.job.cost, s.job.contention, {}, s.job.handover))
      .end();
}

TEST(StepRecurrence, HoldsForRandomModelsPlansAndCosts) {
  std::mt19937 random(31);
  for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Subject s = random_subject(random_shape(random), random);
    s.job.contention = random_contention(random);
    if (i % 2 == 1) s.job.handover = 0.1 * s.job.t_compute / static_cast<double>(s.job.ready.size());
    const Plan plan = random_plan(s.job.gradient_bytes, random);
    for (const CopyMode mode : {CopyMode::none, CopyMode::in, CopyMode::in_out}) {
      s.job.copies = {mode, real(random, 1e6, 1e10), real(random, 0, 1e-3)};
      compare(s, plan);
    }
    s.job.copies = {};
    compare(s, plan, false);
  }
}

TEST(StepRecurrence, HandoverDoesNotDelayTheNaiveStrategy) {
  std::mt19937 random(35);
  Subject s = random_subject(find_preset("tiny"), random);
  const Plan plan = per_tensor_plan(s.job.gradient_bytes);
  const double before = simulate_naive(s, plan);
  s.job.handover = s.job.t_compute;
  EXPECT_EQ(simulate_naive(s, plan), before);
}

TEST(StepRecurrence, HoldsForTheModelsOfTheInputFiles) {
  std::mt19937 random(32);
  for (char const* name : {"tiny", "gpt2", "gpt2-large"}) {
    for (Contention const& contention : {Contention{}, Contention{0.8, 0.6}, large_contention()}) {
      for (const CopyMode mode : {CopyMode::none, CopyMode::in, CopyMode::in_out}) {
        Subject s = random_subject(find_preset(name), random);
        s.job.contention = contention;
        s.job.copies = {mode, 200e9, 5e-6};
        for (const double cap : {1.0, 25.0, 256.0}) {
          const std::int64_t bytes = mib(cap);
          compare(s, bucketed_plan(s.job.gradient_bytes, {&bytes, 1}));
        }
        compare(s, flat_plan(s.job.gradient_bytes));
        compare(s, per_tensor_plan(s.job.gradient_bytes));
      }
    }
  }
}

TEST(StepRecurrence, HoldsForTheRooflineAndThePublishedTable) {
  const Shape shape = find_preset("gpt2-large");
  const BackwardPass pass = backward_pass(shape);
  for (const double slower : {1.0, 10.0, 100.0}) {
    Subject s = subject(shape, modelled_seconds(shape, pass, {4, 1024}, {156e12, 1.555e12, 0.25}, 4));
    s.job = large_job(slower);
    for (Contention const& contention : {Contention{}, large_contention()}) {
      s.job.contention = contention;
      compare(s, per_tensor_plan(s.job.gradient_bytes));
      compare(s, flat_plan(s.job.gradient_bytes), false);
      const std::int64_t cap = mib(25);
      compare(s, bucketed_plan(s.job.gradient_bytes, {&cap, 1}));
    }
  }
}

TEST(StepRecurrence, HoldsToTheLastBitWithoutContention) {
  std::mt19937 random(33);
  for (int i = 0; i < 50; ++i) {
    const Subject s = random_subject(random_shape(random), random);
    const Plan plan = random_plan(s.job.gradient_bytes, random);
    const RankGraphs step = ddp(s.pass, {plan}, 2);
    EXPECT_EQ(simulate(step, ddp_costs(step, s.pass, s.seconds, s.job.cost)).end(),
              simulate(s.job, plan).total);
  }
}

TEST(StepRecurrence, TheCostFunctionGetsTheBytesOnTheWire) {
  std::mt19937 random(34);
  const Subject s = random_subject(find_preset("tiny"), random);
  const Plan plan = flat_plan(s.job.gradient_bytes);
  const RankGraphs step = ddp(s.pass, {.plan = plan, .wire = DataType::bf16}, 2);
  const auto bytes_as_seconds = [](std::int64_t bytes) { return static_cast<double>(bytes); };
  const StepCosts costs = ddp_costs(step, s.pass, s.seconds, bytes_as_seconds);
  const auto& last = *(costs.tasks[0].end() - 2);  // the task before the host's wait
  EXPECT_EQ(last.seconds, static_cast<double>(plan[0].bytes / 2));
}

TEST(StepRecurrence, HoldsForTheStrategiesOfDataParallelTraining) {
  std::mt19937 random(35);
  for (int i = 0; i < 30; ++i) {
    Subject s = random_subject(random_shape(random), random);
    s.job.contention = random_contention(random);
    s.job.copies = {CopyMode::in_out, real(random, 1e6, 1e10), 0};
    const Plan plan = random_plan(s.job.gradient_bytes, random);
    for (auto const* name : {"naive", "flat", "per_tensor", "bucketed", "optimal"}) {
      NamedStrategy const& strategy = strategy_named(name);
      const Timeline by_graph = predict_by_graph(strategy, s.job, plan);
      const Timeline timeline = predict(strategy, s.job, plan);
      ASSERT_TRUE(follows_recurrence(strategy));
      ASSERT_NEAR(by_graph.total, timeline.total, tolerance * timeline.total) << strategy.name;
      ASSERT_NEAR(by_graph.backward_end, timeline.backward_end, tolerance * timeline.total);
      ASSERT_NEAR(by_graph.buckets.back().end, timeline.buckets.back().end, tolerance * timeline.total);
    }
  }
}

TEST(StepRecurrence, RefusesTimesForAWrongNumberOfOperators) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  const RankGraphs step = ddp(pass, {flat_plan(gradient_bytes(pass))}, 2);
  EXPECT_THROW(ddp_costs(step, pass, std::vector<double>(3), AlphaBeta{1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
