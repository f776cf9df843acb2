// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/summarise.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "costs.hpp"
#include "ctest/model/published.hpp"
#include "ctest/model/step/steps.hpp"
#include "model/predict/graph/ddp_costs.hpp"
#include "model/step/describe.hpp"
#include "model/step/strategies/ddp.hpp"

namespace ddproxy::model {
namespace {

Access access(std::size_t buffer, AccessMode mode) {
  return {.buffer = BufferId{buffer}, .slice = {0, 1}, .mode = mode, .content = Content::activation};
}

/// Returns a step with 100 elements of parameters, an activation of 10 elements in bf16, and a gradient of 30
/// elements. The gradient is averaged in a bucket, and copied to a buffer that is kept for the next step.
StepGraph small_step() {
  const BufferState parameters{Content::parameter, {0, 100}}, gradients{Content::gradient, {0, 30}};
  StepGraph graph;
  graph.buffers = {
      {.kind = BufferKind::parameter, .elements = 100, .at_entry = parameters, .at_exit = parameters},
      {.kind = BufferKind::activation, .type = DataType::bf16, .elements = 10},
      {.kind = BufferKind::bucket, .elements = 30},
      {.kind = BufferKind::gradient, .elements = 30, .at_exit = gradients}};
  const Lane communication{LaneKind::communication, 0};
  graph.tasks = {
      {Compute{OperatorId{0}, Phase::forward}, {access(0, AccessMode::read), access(1, AccessMode::assign)}},
      {Compute{OperatorId{0}, Phase::backward}, {access(1, AccessMode::read), access(2, AccessMode::assign)}},
      {Collective{Verb::all_reduce, {}}, {access(2, AccessMode::modify)}, communication, {TaskId{1}}},
      {Copy{CopyKind::out_of_bucket},
       {access(2, AccessMode::read), access(3, AccessMode::assign)},
       {},
       {TaskId{2}}}};
  return graph;
}

/// Forward from 0 to 2 s, backward from 2 to 5 s, bucket ready at 5 s, all-reduce from 6 to 9 s, copy from 9
/// to 10 s.
const StepTrace trace{{{0, 0, 2}, {2, 2, 5}, {5, 6, 9}, {9, 9, 10}}};

TEST(Summary, MatchesHandCalculation) {
  const Summary s = summarise(small_step(), trace, {.compute_alone = 4.5, .total = 12});
  EXPECT_EQ(s.total, 12);
  EXPECT_EQ(s.compute_end, 5);
  EXPECT_EQ(s.compute_alone, 4.5);
  EXPECT_EQ(s.exposed, 7.5);
  EXPECT_EQ(s.slowdown, 0.5);
  EXPECT_EQ(s.tail, 7);
  EXPECT_EQ(s.bubble, 12 - (2 + 3 + 1));
  EXPECT_EQ(s.lane_busy, (std::map<Lane, double>{{{}, 2 + 3 + 1}, {{LaneKind::communication, 0}, 3}}));
}

TEST(Summary, CountsAHostWaitAsBubble) {
  StepGraph graph = small_step();
  graph.tasks.push_back({HostWait{}, {}, {}, {TaskId{2}}});
  StepTrace waited = trace;
  waited.tasks.push_back({10, 10, 13});
  const Summary s = summarise(graph, waited);
  EXPECT_EQ(s.total, 13);
  EXPECT_EQ(s.lane_busy.at({}), 6);
  EXPECT_EQ(s.bubble, 7);
}

TEST(Summary, WithoutATaskOnTheComputeLaneTheBubbleIsTheStep) {
  const Lane communication{LaneKind::communication, 1};
  StepGraph graph;
  graph.tasks.push_back({Collective{Verb::all_reduce, {}}, {}, communication, {}});
  const Summary s = summarise(graph, {{{0, 1, 3}}});
  EXPECT_EQ(s.bubble, 3);
  EXPECT_EQ(s.lane_busy, (std::map<Lane, double>{{{}, 0}, {communication, 2}}));
}

TEST(Summary, UsesTheTraceIfThereIsNoBasis) {
  const Summary s = summarise(small_step(), trace);
  EXPECT_EQ(s.total, 10);
  EXPECT_EQ(s.compute_alone, 5);
  EXPECT_EQ(s.exposed, 5);
  EXPECT_EQ(s.slowdown, 0);
  EXPECT_EQ(s.bubble, 4);
  EXPECT_THROW(summarise(small_step(), {}), std::invalid_argument);
}

TEST(Summary, LiveMemoryIsTheSumOfTheLiveBuffers) {
  const LiveMemory memory = live_memory(small_step(), trace);
  EXPECT_EQ(memory.at_start, 400);
  // Forward adds the activation, 20 bytes. Backward replaces it by the bucket, 120 bytes. The copy replaces
  // the bucket by the gradient.
  EXPECT_EQ(memory.after, (std::vector<std::int64_t>{420, 520, 520, 520}));
  EXPECT_EQ(memory.during, (std::vector<std::int64_t>{420, 540, 520, 640}));
  EXPECT_EQ(memory.peak, 400 + 120 + 120);
}

TEST(Summary, DividesLiveMemoryByKindOfBuffer) {
  const LiveMemory memory = live_memory(small_step(), trace);
  ASSERT_EQ(memory.kinds.size(), 4U);
  const auto expect = [&](BufferKind kind, std::int64_t at_peak, std::int64_t peak) {
    EXPECT_EQ(memory.kinds.at(kind).at_peak, at_peak) << name_of(kind);
    EXPECT_EQ(memory.kinds.at(kind).peak, peak) << name_of(kind);
  };
  expect(BufferKind::parameter, 400, 400);
  expect(BufferKind::activation, 0, 20);  // released before the peak, which is at the copy
  expect(BufferKind::bucket, 120, 120);
  expect(BufferKind::gradient, 120, 120);
}

TEST(Summary, LiveMemoryCountsTheBuffersOfOverlappingTasks) {
  // Four tasks on two lanes. Each has a buffer of its own, which no later task reads.
  StepGraph graph;
  for (std::size_t t = 0; t < 4; ++t) {
    graph.buffers.push_back({.kind = BufferKind::activation, .elements = std::size_t{1} << t});
    graph.tasks.push_back({.work = Compute{OperatorId{t}, Phase::forward},
                           .accesses = {access(t, AccessMode::assign)},
                           .lane = {LaneKind::compute, t % 2}});
  }
  const LiveMemory apart = live_memory(graph, {{{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {3, 3, 4}}});
  EXPECT_EQ(apart.after, (std::vector<std::int64_t>(4, 0)));
  EXPECT_EQ(apart.peak, 4 * 8);
  const LiveMemory together = live_memory(graph, {{{0, 0, 2}, {0, 0, 1}, {2, 2, 4}, {1, 1, 3}}});
  EXPECT_EQ(together.after, (std::vector<std::int64_t>{4 * 8, 4 * 1, 0, 4 * 4}));
  EXPECT_EQ(together.peak, 4 * (4 + 8));
  // The buffers of tasks that take no time count, too.
  EXPECT_EQ(live_memory(graph, {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}).peak, 4 * 8);
}

TEST(Summary, CopiesIntoBucketsDoubleTheMemoryOfGradients) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  const std::vector<double> seconds(pass.operations.size(), 1);
  for (const CopyMode mode : {CopyMode::none, CopyMode::in_out}) {
    const RankGraphs step = ddp(pass, {flat_plan(gradient_bytes(pass)), true, mode}, 2);
    const StepCosts costs = ddp_costs(step, pass, seconds, AlphaBeta{1, 1e9}, {}, {mode, 1e9, 0});
    const StepTraces traces = simulate(step, costs);
    EXPECT_EQ(live_memory(step.classes[0].graph, traces.classes[0].trace).peak,
              parameters(pass) * 4 * (mode == CopyMode::none ? 1 : 2));
  }
}

/// Returns the peak of the live memory of a rank in bytes, in a fully sharded step with layers of 64 elements
/// on 4 ranks.
std::int64_t sharded_peak(std::size_t layers, bool reshard) {
  const RankGraphs step =
      fsdp_step({std::vector<std::size_t>(layers, 64)}, {.shards = 4, .slots = 2, .reshard = reshard});
  CostModel model =
      phase_costs({{Phase::forward, 1}, {Phase::recompute, 1}, {Phase::backward, 2}, {Phase::update, 1}});
  model.collectives.set(Verb::all_gather, always(1));
  model.collectives.set(Verb::reduce_scatter, always(1));
  const StepTraces traces = simulate(step, step_costs(step, model));
  return live_memory(step.classes[0].graph, traces.classes[0].trace).peak;
}

TEST(Summary, PeakGrowsByAGatheredUnitPerLayerOnlyWithoutResharding) {
  // With resharding the peak is at the end of the backward pass. A layer adds its shards of parameters,
  // optimizer state and gradients. Without resharding the peak is at the start of the backward pass. A layer
  // adds its shards of parameters and optimizer state, two activations of one element, and its gathered unit.
  const std::int64_t shard = 4 * 64 / 4, unit = 4 * 64, activations = 2 * 4;
  EXPECT_EQ(sharded_peak(9, true) - sharded_peak(8, true), 3 * shard);
  EXPECT_EQ(sharded_peak(9, false) - sharded_peak(8, false), 2 * shard + activations + unit);
}

}  // namespace
}  // namespace ddproxy::model
