// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/simulate_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>

#include "costs.hpp"
#include "ctest/model/step/steps.hpp"
#include "model/predict/graph/equal_ranks.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy::model {
namespace {

const Layers six{{5, 8, 3, 7, 4, 6}};

double real(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Returns every kind of step that the tests of model/step build.
std::vector<RankGraphs> all_steps() {
  std::vector<RankGraphs> steps;
  for (const Zero zero : {Zero::none, Zero::stage1, Zero::stage2}) {
    steps.push_back(ddp_step(six, {.ranks = 3, .micro_batches = 2, .zero = zero, .clipped = true}));
  }
  for (const bool reshard : {true, false}) {
    for (const std::size_t replicas : {1, 2}) {
      steps.push_back(fsdp_step(six, {.replicas = replicas, .reshard = reshard, .checkpoint = true}));
      steps.push_back(fsdp_step(six, {.slots = 3, .reshard = reshard, .micro_batches = 3, .clipped = true}));
    }
  }
  steps.push_back(pipeline_step(4, 6));
  return steps;
}

/// Returns random costs: tasks of 0 to 1 s, and collectives with kappa and gamma of 0.3 to 1. If `own` is
/// true, each lane has its own link; otherwise all lanes share one link.
StepCosts random_costs(RankGraphs const& step, bool own, std::mt19937& random) {
  StepCosts costs;
  for (RankClass const& each : step.classes) {
    auto& table = costs.tasks.emplace_back();
    for (Task const& task : each.graph.tasks) {
      const bool is_collective = task.lane.kind == LaneKind::communication;
      table.push_back({real(random, 0, 1), is_collective ? Resource::link : Resource::compute,
                       own ? task.lane.number : 0, Speeds{real(random, 0.3, 1), real(random, 0.3, 1)}});
      if (real(random, 0, 1) < 0.1) table.back().seconds = 0;
    }
  }
  return costs;
}

/// Returns the end of the last task for which task `t` waits, in seconds. `t` also waits for earlier tasks of
/// its lane.
double last_end(StepGraph const& graph, StepTrace const& trace, std::size_t t) {
  double end = 0;
  for (const TaskId after : graph.tasks[t].after) end = std::max(end, trace.tasks[index(after)].end);
  for (std::size_t before = 0; before < t; ++before) {
    if (graph.tasks[before].lane == graph.tasks[t].lane) end = std::max(end, trace.tasks[before].end);
  }
  return end;
}

TEST(StepSimulation, StartsATaskWhenItsLaneDependenciesAndMembersAreReady) {
  std::mt19937 random(3);
  for (RankGraphs const& step : all_steps()) {
    const StepTraces traces = simulate(step, random_costs(step, false, random));
    ASSERT_EQ(traces.classes.size(), step.classes.size());
    for (std::size_t c = 0; c < step.classes.size(); ++c) {
      StepGraph const& graph = step.classes[c].graph;
      for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
        TaskTimes const& times = traces.classes[c].trace.tasks[t];
        ASSERT_EQ(times.ready, last_end(graph, traces.classes[c].trace, t));
        ASSERT_GE(times.end, times.start);
      }
    }
    for (auto const& members : merged_order(step).nodes) {
      double latest = 0;
      const auto times = [&](ClassTask at) { return traces.classes[at.rank_class].trace.tasks[at.task]; };
      for (const ClassTask at : members) latest = std::max(latest, times(at).ready);
      for (const ClassTask at : members) {
        ASSERT_EQ(times(at).start, latest);
        ASSERT_EQ(times(at).end, times(members.front()).end);
      }
    }
  }
}

/// Returns the seconds of work that each task has done between its start and its end. The speed of a task
/// depends on the tasks that run at the same time. The step must have one class.
std::vector<double> work_done(StepCosts const& costs, StepTrace const& trace) {
  std::set<double> moments;
  for (TaskTimes const& times : trace.tasks) moments.insert({times.start, times.end});
  std::vector<double> done(trace.tasks.size());
  for (auto from = moments.begin(); std::next(from) != moments.end(); ++from) {
    const double to = *std::next(from);
    std::vector<TaskId> active;
    for (std::size_t t = 0; t < done.size(); ++t) {
      if (trace.tasks[t].start <= *from && trace.tasks[t].end >= to) active.push_back(TaskId{t});
    }
    std::vector<double> speeds(active.size());
    costs.rates(0, active, speeds);
    for (std::size_t i = 0; i < active.size(); ++i) done[index(active[i])] += speeds[i] * (to - *from);
  }
  return done;
}

TEST(StepSimulation, TheWorkDoneAtEachSpeedAddsUpToTheCostOfTheTask) {
  std::mt19937 random(4);
  for (RankGraphs const& step : all_steps()) {
    if (step.classes.size() > 1) continue;
    for (const bool own : {true, false}) {
      const StepCosts costs = random_costs(step, own, random);
      const StepTraces traces = simulate(step, costs);
      const auto done = work_done(costs, traces.classes[0].trace);
      for (std::size_t t = 0; t < done.size(); ++t)
        ASSERT_NEAR(done[t], costs.tasks[0][t].seconds, 1e-9) << "task " << t;
    }
  }
}

TEST(StepSimulation, ACollectiveStartsWhenItsLastMemberIsReady) {
  const StepGraph graph = compute_and_reduce(CommunicatorId{0});
  const RankGraphs step{{{{{0, 1, 2}}}}, {{graph, {0, 2}}, {graph, {1}}}};
  const StepTraces traces = simulate(step, step_costs(step, seconds_by_class({1, 3})));
  ASSERT_EQ(traces.classes.size(), 2U);
  const auto reduce = [&](std::size_t c) { return traces.classes[c].trace.tasks[1]; };
  EXPECT_EQ(reduce(0).ready, 1);
  EXPECT_EQ(reduce(1).ready, 3);
  for (const std::size_t c : {0, 1}) {
    EXPECT_EQ(reduce(c).start, 3);
    EXPECT_EQ(reduce(c).end, 5);
  }
}

TEST(StepSimulation, RanksOfAClassGetSeparateTracesIfTheyWaitForDifferentClasses) {
  const StepGraph graph = compute_and_reduce(CommunicatorId{0});
  const RankGraphs step{{{{{0, 2}, {1, 3}}}}, {{graph, {0, 1}}, {graph, {2}}, {graph, {3}}}};
  EXPECT_FALSE(ranks_wait_alike(step));
  const StepTraces traces = simulate(step, step_costs(step, seconds_by_class({1, 3, 7})));
  ASSERT_EQ(traces.classes.size(), 4U);
  const std::vector<double> starts{3, 7, 3, 7};
  const std::vector<std::size_t> classes{0, 0, 1, 2};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(traces.classes[i].rank_class, classes[i]);
    EXPECT_EQ(traces.classes[i].ranks, std::vector{i});
    EXPECT_EQ(traces.classes[i].trace.tasks[1].start, starts[i]) << "rank " << i;
  }
}

/// Returns compute_and_reduce() with a further compute task, which runs at the same time as the all-reduce.
StepGraph compute_on() {
  StepGraph graph = compute_and_reduce(CommunicatorId{0});
  graph.buffers.push_back({.kind = BufferKind::activation, .elements = 1});
  graph.tasks.push_back({.work = Compute{OperatorId{1}, Phase::backward},
                         .accesses = {{BufferId{1}, {0, 1}, AccessMode::assign, Content::activation}}});
  return graph;
}

TEST(StepSimulation, ACollectiveIsAsSlowAsItsSlowestMember) {
  // One rank has 8 s of further compute, which starts with the all-reduce. This compute and the all-reduce
  // run at half speed until the all-reduce ends. The other rank only waits for the all-reduce.
  const StepGraph waits = compute_and_reduce(CommunicatorId{0});
  for (const std::size_t busy : {0, 1}) {
    RankGraphs step{{{{{0, 1}}}}, {{waits, {0}}, {waits, {1}}}};
    step.classes[busy].graph = compute_on();
    CostModel model = seconds_by_class({8, 8});
    model.contention = {0.5, 0.5};
    StepCosts costs = step_costs(step, model);
    const StepTraces traces = simulate(step, costs);
    for (const std::size_t c : {0, 1}) EXPECT_EQ(traces.classes[c].trace.tasks[1].end, 8 + 2 / 0.5);
    EXPECT_EQ(traces.classes[busy].trace.tasks[2].end, 8 + 4 + 6);
    // With only 1 s of compute, half of the all-reduce runs at the same time as compute. The other half runs
    // alone, on both ranks.
    costs.tasks[busy][2].seconds = 1;
    const StepTraces shorter = simulate(step, costs);
    EXPECT_EQ(shorter.classes[busy].trace.tasks[2].end, 8 + 2);
    for (const std::size_t c : {0, 1}) EXPECT_EQ(shorter.classes[c].trace.tasks[1].end, 8 + 3);
  }
}

TEST(StepSimulation, ACollectiveTakesTheLargestCostOfItsMembers) {
  const StepGraph graph = compute_and_reduce(CommunicatorId{0});
  const RankGraphs step{{{{{0, 1}}}}, {{graph, {0}}, {graph, {1}}}};
  StepCosts costs = step_costs(step, seconds_by_class({1, 1}));
  for (const std::size_t c : {0, 1}) {
    costs.tasks[c][1].seconds = 5;
    costs.tasks[1 - c][1].seconds = 2;
    EXPECT_EQ(simulate(step, costs).end(), 6);
  }
}

TEST(StepSimulation, NamesTheTasksOfADeadlock) {
  const RankGraphs step = pipeline_step(4, 4, true);
  CostModel model = phase_costs({});
  model.collectives.set(Verb::send, always(1));
  const StepCosts costs = step_costs(step, model);
  try {
    simulate(step, costs);
    FAIL() << "no deadlock found";
  } catch (std::logic_error const& error) {
    EXPECT_NE(std::string(error.what()).find("of rank 0"), std::string::npos) << error.what();
  }
}

TEST(StepSimulation, RefusesInvalidCosts) {
  const StepGraph graph = compute_and_reduce(CommunicatorId{0});
  const RankGraphs step{{{{{0, 1}}}}, {{graph, {0, 1}}}};
  StepCosts costs = step_costs(step, seconds_by_class({1}));
  costs.tasks[0].pop_back();
  EXPECT_THROW(simulate(step, costs), std::invalid_argument);
  EXPECT_THROW(simulate(step, {}), std::invalid_argument);
  EXPECT_THROW(step_costs(step, seconds_by_class({-1})), std::invalid_argument);
  const RankGraphs sharded = fsdp_step(six, {.slots = 3});
  CostModel model = phase_costs({{Phase::forward, 1}, {Phase::backward, 1}});
  model.collectives.set(Verb::all_reduce, always(2));
  model.shared_speed = [](std::size_t) { return 0.0; };
  EXPECT_THROW(simulate(sharded, step_costs(sharded, model)), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
