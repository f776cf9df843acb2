// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Tests what run_step() asks of the lanes, and when.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "ctest/miniapp/ddp_steps.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/compute/replay/host_replay.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "miniapp/measure/pass/step_traces.hpp"

namespace ddproxy {
namespace {

// A compute lane that writes the calls of its methods to `log`.
struct Listed : ComputeLane {
  std::size_t operations() const override { return 4; }
  void run(std::size_t operation) override { log.push_back("op" + std::to_string(operation)); }
  void copy(Slice from, std::size_t to) override {
    log.push_back("copy" + std::to_string(from.offset) + ">" + std::to_string(to));
  }
  void wait_for(Completion const&) override {}
  Completion completion() override { return {Clock::now()}; }
  void fence() override { log.push_back("fence"); }
  std::vector<std::string> log;
};

// A communication lane that writes the calls of its methods to the same log.
struct Noted : CommunicationLane {
  explicit Noted(std::vector<std::string>& log_) : log(log_) {}
  void begin(std::size_t buckets) override { EXPECT_EQ(buckets, 2U); }
  void start(CollectiveCall const& call, Completion) override {
    log.push_back("start" + std::to_string(call.assigned.offset));
  }
  void wait_all() override { log.push_back("wait"); }
  Completion wait_for(std::size_t bucket) override {
    log.push_back("wait" + std::to_string(bucket));
    return {};
  }
  std::vector<FinishedCall> const& finished() const override { return none; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return ""; }
  std::vector<std::string>& log;
  std::vector<FinishedCall> none;
};

// Returns a workload with two gradients, of 2 and of 3 elements. Operator 1 completes the first gradient, and
// operator 3 the second.
Workload two_gradients() {
  Workload workload;
  workload.pass.operations.resize(4);
  workload.pass.gradients.push_back({"a", "l", 2, 1});
  workload.pass.gradients.push_back({"b", "l", 3, 3});
  workload.gradient_bytes = {8, 12};
  return workload;
}

// Returns the calls of one step. The gradients lie behind the buckets, from element 5 on.
std::vector<std::string> log_of(bool overlapped, model::CopyMode copies) {
  const auto workload = two_gradients();
  Listed compute;
  Noted allreduce(compute.log);
  CompiledStep step =
      ddp_step(workload, {model::per_tensor_plan(workload.gradient_bytes), overlapped, copies}, 5);
  run_step(step, compute, allreduce);
  return compute.log;
}

using Log = std::vector<std::string>;

TEST(RunStep, StartsABucketRightAfterTheOperatorThatCompletesIt) {
  EXPECT_EQ(log_of(true, model::CopyMode::none),
            (Log{"op0", "op1", "start5", "op2", "op3", "start7", "fence", "wait"}));
}

TEST(RunStep, StartsAllBucketsAfterTheBackwardPassWithoutOverlap) {
  EXPECT_EQ(log_of(false, model::CopyMode::none),
            (Log{"op0", "op1", "op2", "op3", "fence", "start5", "start7", "wait"}));
}

TEST(RunStep, CopiesEachGradientIntoItsBucket) {
  EXPECT_EQ(log_of(true, model::CopyMode::in),
            (Log{"op0", "op1", "copy5>0", "start0", "op2", "op3", "copy7>2", "start2", "fence", "wait"}));
}

TEST(RunStep, CopiesEachBucketBackOnceItIsReduced) {
  const auto log = log_of(true, model::CopyMode::in_out);
  const Log end(log.end() - 7, log.end());
  EXPECT_EQ(end, (Log{"fence", "wait0", "copy0>5", "wait1", "copy2>7", "wait", "fence"}));
}

TEST(RunStep, RefusesACollectiveOnAnUnknownCommunicator) {
  const auto workload = two_gradients();
  auto graph =
      model::ddp(workload.pass, {model::per_tensor_plan(workload.gradient_bytes)}, 2).classes[0].graph;
  for (auto& task : graph.tasks)
    if (auto* collective = std::get_if<model::Collective>(&task.work); collective)
      collective->communicator = model::CommunicatorId{1};
  EXPECT_THROW(CompiledStep(graph, test_places(graph)), std::logic_error);
}

// In a simulation two compute lanes can run at the same time. run_step() has only one compute lane, so it
// would run another step than the predicted step.
TEST(RunStep, RefusesACopyOnASecondComputeLane) {
  const auto workload = two_gradients();
  auto graph = model::ddp(workload.pass,
                          {model::per_tensor_plan(workload.gradient_bytes), true, model::CopyMode::in_out}, 1)
                   .classes[0]
                   .graph;
  EXPECT_NO_THROW(CompiledStep(graph, test_places(graph, 5)));
  for (auto& task : graph.tasks)
    if (std::holds_alternative<model::Copy>(task.work)) task.lane = {model::LaneKind::compute, 1};
  EXPECT_THROW(CompiledStep(graph, test_places(graph, 5)), std::logic_error);
}

// Each operator takes 2 ms, each copy 0.5 ms for each element, and each all-reduce 3 ms.
TEST(RunStep, ATraceHasTheTimesOfEveryTask) {
  const auto workload = two_gradients();
  HostReplay compute(std::vector<double>(4, 2e-3), 1e-3 / 2);
  ThreadedLane allreduce(std::make_unique<ReplayEngine>([](std::int64_t) { return 3e-3; }));
  CompiledStep step =
      ddp_step(workload, {model::per_tensor_plan(workload.gradient_bytes), true, model::CopyMode::in_out}, 5);
  const auto times = run_step(step, compute, allreduce);
  const auto trace = trace_of(times, step, allreduce.finished());
  const auto& tasks = step.graph().tasks;
  ASSERT_EQ(trace.tasks.size(), tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    EXPECT_LE(trace.tasks[t].ready, trace.tasks[t].start) << t;
    EXPECT_LE(trace.tasks[t].start, trace.tasks[t].end) << t;
    for (const auto before : tasks[t].after)
      EXPECT_LE(trace.tasks[index(before)].end, trace.tasks[t].start + 1e-9) << t;
  }
  // operators 0 and 1, then the copy of 2 elements: the first bucket is ready after 5 ms and takes 3 ms
  const auto bucket = trace.tasks[3];
  EXPECT_NEAR(bucket.ready, 5e-3, 1e-4);
  EXPECT_NEAR(bucket.end - bucket.start, 3e-3, 1e-6);
}

}  // namespace
}  // namespace ddproxy
