// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ctest/miniapp/exact_step.hpp"
#include "ctest/miniapp/ring_step.hpp"
#include "ctest/model/step/steps.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
#include "model/step/check/check.hpp"

// Runs sharded steps, a pipeline and a ring over MPI, and checks every element. These steps have several
// communication lanes, or groups of sends and receives. One communication thread or the compute side drives
// all lanes of a rank.
namespace ddproxy {
namespace {

using namespace std::chrono_literals;

std::size_t ranks() {
  return static_cast<std::size_t>(test_runtime->ranks());
}

const model::Layers layers{{96, 41, 64, 7}};

const std::vector<Drive> drives{{.thread = true},
                                {.thread = false},
                                {.thread = true, .piece = 100000},
                                {.thread = true, .wire = WireFormat::bf16}};

/// Checks that each task starts after the tasks that it waits for.
void expect_order(ExactStep const& exact) {
  std::vector<CallsOfLane> calls;
  for (auto const& lane : exact.lanes()) calls.push_back(&lane->finished());
  const auto trace = trace_of(exact.times, exact.step(), calls);
  auto const& tasks = exact.step().graph().tasks;
  ASSERT_EQ(trace.tasks.size(), tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (const auto before : tasks[t].after)
      EXPECT_LE(trace.tasks[index(before)].end, trace.tasks[t].start + 1e-9) << t;
}

void expect_right(model::RankGraphs const& graphs, std::size_t lanes) {
  ASSERT_TRUE(model::check(graphs).empty());
  for (auto const& drive : drives) {
    ExactStep exact(graphs, drive);
    EXPECT_EQ(exact.step().lanes().size(), lanes);
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(exact.run(), 0U);
      EXPECT_GT(exact.checked, 0U);
      expect_order(exact);
    }
  }
}

/// Returns whether a wrong step gives a wrong result in at least one of many runs. The fault is a race, so a
/// single run may not show it. All ranks return the same.
bool is_caught(model::RankGraphs const& graphs) {
  ExactStep exact(graphs, {.thread = true, .piece = 100000});
  for (int run = 0; run < 100; ++run)
    if (exact.run(500us) > 0) return true;
  return false;
}

TEST(Lanes, FsdpGivesTheRightResultOnTwoLanes) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  for (const int micro_batches : {1, 3})
    for (const bool reshard : {true, false})
      expect_right(
          model::fsdp_step(layers, {.shards = ranks(), .reshard = reshard, .micro_batches = micro_batches}),
          2);
}

TEST(Lanes, HybridShardingGivesTheRightResultOnThreeLanes) {
  if (ranks() != 4) GTEST_SKIP() << "needs four ranks";
  expect_right(model::fsdp_step(layers, {.shards = 2, .replicas = 2, .micro_batches = 2}), 3);
}

/// Returns a pipeline whose activations have this many elements.
model::RankGraphs wide_pipeline(int micro_batches, std::size_t elements) {
  auto graphs = model::pipeline_step(ranks(), micro_batches);
  for (auto& each : graphs.classes) {
    auto& [buffers, tasks, expected] = each.graph;
    const auto is_wide = [&](model::BufferId id) {
      return buffers[index(id)].kind == model::BufferKind::activation;
    };
    for (auto& task : tasks)
      for (auto& access : task.accesses)
        if (is_wide(access.buffer)) access.slice.count = elements;
    for (auto& buffer : buffers)
      if (buffer.kind == model::BufferKind::activation) buffer.elements = elements;
  }
  return graphs;
}

TEST(Lanes, A1F1BPipelineGivesTheRightResult) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const bool inner = test_runtime->rank() > 0 && test_runtime->rank() + 1 < test_runtime->ranks();
  expect_right(wide_pipeline(5, 3000), inner ? 4 : 2);
}

TEST(Lanes, GroupsOfASendAndAReceiveGiveTheRightResult) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  for (auto const& drive : drives) {
    ExactStep exact(ring_step(ranks(), 4), drive);
    EXPECT_EQ(exact.run(), 0U);
    EXPECT_EQ(exact.checked, 4 * ring_elements);
    EXPECT_EQ(exact.lanes()[0]->finished().size(), 8U);
    expect_order(exact);
  }
}

bool is(model::Task const& task, model::Verb verb) {
  auto const* collective = std::get_if<model::Collective>(&task.work);
  return collective && collective->verb == verb;
}

// Gathers all units into one buffer, instead of two buffers that take turns. So the next unit overwrites the
// previous unit while that is read.
TEST(LanesPlanted, ASlotThatIsUsedAgainTooEarlyIsCaught) {
  if (ranks() != 2) GTEST_SKIP() << "for two ranks";
  auto graphs = model::fsdp_step(layers, {.shards = 2});
  auto& [buffers, tasks, expected] = graphs.classes[0].graph;
  std::optional<model::BufferId> slot;
  for (std::size_t b = 0; b < buffers.size() && !slot; ++b)
    if (buffers[b].kind == model::BufferKind::gathered_unit) slot = model::BufferId{b};
  for (auto& task : tasks)
    for (auto& access : task.accesses)
      if (buffers[index(access.buffer)].kind == model::BufferKind::gathered_unit) access.buffer = *slot;
  EXPECT_FALSE(model::check(graphs).empty());
  EXPECT_TRUE(is_caught(graphs));
}

TEST(LanesPlanted, ALaneThatDoesNotWaitForAnotherLaneIsCaught) {
  if (ranks() != 4) GTEST_SKIP() << "for four ranks";
  auto graphs = model::fsdp_step(layers, {.shards = 2, .replicas = 2});
  for (auto& task : graphs.classes[0].graph.tasks)
    if (is(task, model::Verb::all_reduce)) task.after.clear();  // no longer waits for shards
  EXPECT_FALSE(model::check(graphs).empty());
  EXPECT_TRUE(is_caught(graphs));
}

TEST(LanesPlanted, AMicroBatchThatIsAssignedInsteadOfAddedIsCaught) {
  if (ranks() != 2) GTEST_SKIP() << "for two ranks";
  auto graphs = model::fsdp_step(layers, {.shards = 2, .micro_batches = 2});
  for (auto& task : graphs.classes[0].graph.tasks)
    if (is(task, model::Verb::reduce_scatter)) task.accesses[1].mode = model::AccessMode::assign;
  EXPECT_GT(ExactStep(graphs, {}).run(), 0U);
}

TEST(Lanes, BlockingCallsOfSeveralLanesNeedMpiThreadMultiple) {
  EXPECT_THROW(require_threads(MPI_THREAD_SERIALIZED), std::invalid_argument);
  EXPECT_NO_THROW(require_threads(MPI_THREAD_MULTIPLE));
  if (ranks() < 2) return;
  const auto graphs = model::fsdp_step(layers, {.shards = ranks()});
  EXPECT_THROW(ExactStep(graphs, {.thread = false, .blocking = true}), std::invalid_argument);
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    EXPECT_THROW(ExactStep(graphs, {.blocking = true}), std::invalid_argument);
  }
}

TEST(Lanes, AnErrorOfOneLaneIsThrownByTheWaitForAnotherLane) {
  struct Engine : CollectiveEngine {
    explicit Engine(bool fails) : fails_(fails) {}
    void begin(CollectiveCall const&, Completion) override {
      if (fails_) throw std::runtime_error("broken wire");
    }
    bool test() override { return false; }
    void wait(std::size_t, CoreIsFree const&) override {}
    FinishedCall last() const override { return {}; }
    ElementsByVerb elements_handed_over() const override { return {}; }
    std::string description() const override { return "broken"; }
    bool fails_;
  };
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (const bool fails : {false, true}) engines.push_back(std::make_unique<Engine>(fails));
  const auto lanes = make_joint_lanes(std::move(engines), {});
  for (auto const& lane : lanes) {
    lane->begin(1);
    lane->start_all_reduce({0, 1}, {Clock::now()});
  }
  EXPECT_THROW(lanes[0]->wait_all(), std::runtime_error);
}

}  // namespace
}  // namespace ddproxy
