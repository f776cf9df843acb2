// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/host_waits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ctest/model/shapes.hpp"
#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/graph/whole_step_costs.hpp"
#include "model/predict/graph/whole_step_time.hpp"
#include "model/step/check/check.hpp"
#include "model/step/describe.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy::model {
namespace {

const Shape shape = llama_shape(2);

Strategy step_with(void (*change)(Strategy&)) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : backward_pass(shape).gradients) bytes.push_back(4 * gradient.numel);
  constexpr std::int64_t cap = 2000;
  Strategy step{.ddp = {.plan = bucketed_plan(bytes, {&cap, 1})}, .optimizer = Optimizer::adamw};
  change(step);
  return step;
}

/// Returns steps without sharding.
std::vector<Strategy> whole_steps() {
  return {step_with([](Strategy&) {}), step_with([](Strategy& s) { s.clipped = true; }),
          step_with([](Strategy& s) {
            s.micro_batches = 2;
            s.sync = Sync::each;
          }),
          step_with([](Strategy& s) { s.ddp.copies = CopyMode::in_out; })};
}

std::vector<Strategy> sharded_steps() {
  return {step_with([](Strategy& s) { s.sharding.stage = ShardStage::zero1; }),
          step_with([](Strategy& s) { s.sharding.stage = ShardStage::fsdp; }), step_with([](Strategy& s) {
            s.sharding.stage = ShardStage::fsdp;
            s.sharding.lanes = 2;
          })};
}

RankGraphs graphs_of(Strategy const& step) {
  return whole_step(backward_pass(shape), forward_pass(shape), 4, step, 2);
}

bool is_host_wait(Task const& task) {
  return std::holds_alternative<HostWait>(task.work);
}

bool waits_for_collective(StepGraph const& graph, Task const& task) {
  for (const TaskId before : task.after)
    if (!collectives_of(graph.tasks[index(before)]).empty()) return true;
  return false;
}

TEST(HostWaits, StandBeforeEachTaskThatNeedsACollective) {
  auto all = whole_steps();
  for (auto const& step : sharded_steps()) all.push_back(step);
  for (auto const& step : all) {
    const RankGraphs plain = graphs_of(step), waiting = with_host_waits(plain);
    const auto violations = check(waiting);
    EXPECT_TRUE(violations.empty()) << violations.front().what;
    for (std::size_t c = 0; c < plain.classes.size(); ++c) {
      StepGraph const &before = plain.classes[c].graph, &after = waiting.classes[c].graph;
      EXPECT_FALSE(has_host_waits(before));
      EXPECT_TRUE(has_host_waits(after));
      std::size_t t = 0;
      for (Task const& task : before.tasks) {
        const bool needs_one = task.lane.kind == LaneKind::compute && waits_for_collective(before, task);
        if (needs_one) {
          EXPECT_TRUE(is_host_wait(after.tasks[t])) << describe(after.tasks[t]);
          EXPECT_TRUE(waits_for_collective(after, after.tasks[t]));
          EXPECT_EQ(after.tasks[t++].lane, task.lane);
        }
        EXPECT_EQ(describe(after.tasks[t]), describe(task));
        EXPECT_FALSE(task.lane.kind == LaneKind::compute && waits_for_collective(after, after.tasks[t]));
        ++t;
      }
      EXPECT_EQ(t, after.tasks.size());
    }
  }
}

PhaseSeconds predicted(RankGraphs const& graphs) {
  std::vector<double> seconds;
  for (auto const& task : graphs.classes.front().graph.tasks)
    seconds.push_back(is_host_wait(task) ? NAN : 1e-3 * static_cast<double>(task.accesses.size()));
  const auto cost = [](std::int64_t bytes) { return 1e-4 + 1e-5 * static_cast<double>(bytes); };
  return whole_step_time(graphs, measured_step_costs(graphs, seconds, AllreduceCost(cost))).phases;
}

TEST(HostWaits, ChangeNoPrediction) {
  for (auto const& step : whole_steps()) {
    const RankGraphs plain = graphs_of(step);
    const auto without = predicted(plain), with = predicted(with_host_waits(plain));
    EXPECT_NEAR(with.step, without.step, 1e-12);
    EXPECT_NEAR(with.waiting, without.waiting, 1e-12);
    EXPECT_EQ(with.host_waits, 0);
    EXPECT_GT(with.waiting, 0);
  }
}

TEST(HostWaits, CheckFindsHostWaitsThatWaitForNothing) {
  for (auto const& step : whole_steps()) {
    RankGraphs graphs = with_host_waits(graphs_of(step));
    for (Task& task : graphs.classes.front().graph.tasks)
      if (is_host_wait(task)) task.after.clear();
    EXPECT_FALSE(check(graphs).empty());
  }
}

TEST(HostWaits, AreIncludedInTheWaitingTime) {
  const RankGraphs graphs = with_host_waits(graphs_of(whole_steps().front()));
  auto const& tasks = graphs.classes.front().graph.tasks;
  StepTrace trace;
  double now = 0, waits = 0;
  for (Task const& task : tasks) {
    const double seconds = is_host_wait(task) ? 2 : 1;
    if (is_host_wait(task)) waits += seconds;
    trace.tasks.push_back({now, now, now + seconds});
    now += seconds;
  }
  const auto phases = phase_seconds(graphs.classes.front().graph, trace);
  EXPECT_NEAR(phases.host_waits, waits, 1e-9);
  EXPECT_NEAR(phases.compute() + phases.copies + phases.waiting, phases.step, 1e-9);
  EXPECT_GT(phases.waiting, phases.host_waits);
}

}  // namespace
}  // namespace ddproxy::model
