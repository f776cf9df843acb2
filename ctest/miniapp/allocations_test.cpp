// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ctest/miniapp/allocation_watch.hpp"
#include "ctest/miniapp/preset_cases.hpp"
#include "ctest/miniapp/step_run.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/compute/replay/step_replay.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/step/step_groups.hpp"
#include "model/step/merged_order.hpp"

// ddproxy's own code must allocate nothing in the timed region of a step, on any thread. The timed region
// goes from ComputeLane::begin() to the return of run_step(). Allocations by MPI, Kokkos and BLAS do not
// count (allocation_watch.hpp). lane_allocations_test.cpp watches the communication lanes in more steps.
namespace ddproxy {
namespace {

using Allocations = std::vector<std::string>;
const Allocations none;

// Starts the watch when the timed region starts.
class WatchedLane : public ComputeLane {
 public:
  explicit WatchedLane(ComputeLane& lane) : lane_(lane) {}
  std::size_t operations() const override { return lane_.operations(); }
  void begin() override {
    watch_allocations();
    lane_.begin();
  }
  void run(std::size_t operation) override {
    lane_.run(operation);
    if (plants_one) planted_ = std::make_unique<int>(1);
  }
  bool knows(model::Compute const& compute) const override { return lane_.knows(compute); }
  void carry_out(ComputeCall const& call) override { lane_.carry_out(call); }
  void copy(Slice from, std::size_t to) override { lane_.copy(from, to); }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }
  bool plants_one = false;

 private:
  ComputeLane& lane_;
  std::unique_ptr<int> planted_;
};

/// Returns whether this Kokkos allocates memory when it launches a kernel. Kokkos 5 does so in each launch
/// with teams. The compiler inlines that code into the kernels, so a call stack does not show whether Kokkos
/// or ddproxy has allocated.
bool launches_allocate() {
  static const std::string label = "a launch that allocates nothing of its own";
  const auto launch = [] {
    Kokkos::parallel_for(label, kernels::Teams(kernels::Space(), 1, 1),
                         KOKKOS_LAMBDA(kernels::Team const&){});
  };
  launch();
  watch_allocations();
  launch();
  return !own_allocations().empty();
}

/// Skips a test with kernels if it would count allocations of Kokkos.
#define DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE() \
  if (launches_allocate()) GTEST_SKIP() << "this Kokkos allocates in each launch"

/// Returns the allocations of the second of two runs. The first run is a warm-up: it allocates what later
/// runs reuse.
Allocations allocations_of(CompiledStep& step, ComputeLane& lane, std::span<CommunicationLane* const> lanes,
                           bool plants_one = false) {
  WatchedLane compute(lane);
  run_step(step, compute, lanes);
  compute.plants_one = plants_one;
  run_step(step, compute, lanes);
  return own_allocations();
}

Config tiny(model::CopyMode copies = model::CopyMode::none, WireFormat wire = WireFormat::fp32) {
  Config config;
  config.shape = model::find_preset("tiny");
  config.tokens = {2, 24};
  config.copies = copies;
  config.wire = wire;
  config.machine.bandwidth = 1e10;
  return config;
}

Allocations allocations_of(RankContext const& context, Case const& item, bool plants_one = false) {
  CompiledStep step = context.compile(item);
  CommunicationLane* const lane = context.allreduce.get();
  return allocations_of(step, *context.backward, {&lane, 1}, plants_one);
}

TEST(Allocations, AreNoneInAStepOfAnyStrategy) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  for (const auto copies : {model::CopyMode::none, model::CopyMode::in, model::CopyMode::in_out})
    for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
      const Config config = tiny(copies, wire);
      const auto context = make_rank_context(config, make_workload(config), *test_runtime);
      for (auto const& item : preset_cases(config, context.workload))
        EXPECT_EQ(allocations_of(context, item), none) << item.name();
    }
}

TEST(Allocations, AreNoneWithEachKindOfProgress) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  for (const auto progress : {Progress::thread, Progress::poll, Progress::none})
    for (const bool blocking : {false, true}) {
      Config config = tiny();
      config.progress = progress;
      if (blocking && progress != Progress::thread) continue;
      auto context = make_rank_context(config, make_workload(config), *test_runtime);
      context.allreduce = context.make_allreduce({MpiCallTable(blocking), false, ""});
      for (auto const& item : preset_cases(config, context.workload))
        EXPECT_EQ(allocations_of(context, item), none) << item.name();
    }
}

/// Returns the allocations of a step whose buckets alternate between two lanes. Each bucket on lane 1 waits
/// for the bucket before it, which is on lane 0.
Allocations allocations_on_two_lanes(bool thread) {
  const Config config = tiny();
  const auto workload = make_workload(config);
  const auto context = make_rank_context(config, workload, *test_runtime);
  auto graph =
      model::ddp(workload.pass, {model::per_tensor_plan(workload.gradient_bytes)}, 2).classes[0].graph;
  std::vector<std::size_t> buckets;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    if (std::holds_alternative<model::Collective>(graph.tasks[t].work)) buckets.push_back(t);
  for (std::size_t b = 1; b < buckets.size(); b += 2) {
    graph.tasks[buckets[b]].lane.number = 1;
    std::get<model::Collective>(graph.tasks[buckets[b]].work).communicator = model::CommunicatorId{1};
    graph.tasks[buckets[b]].after.push_back(model::TaskId{buckets[b - 1]});
  }
  const GroupPlace place{test_runtime->rank(), test_runtime->ranks()};
  CompiledStep step(graph, context.places(graph), {place, place});
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (std::size_t lane = 0; lane < step.lanes().size(); ++lane)
    engines.push_back(std::make_unique<MpiEngine>(MPI_COMM_WORLD, context.memory.data(), 1 << 20, 60));
  const auto lanes = make_lanes(std::move(engines), {.thread = thread}, place.rank);
  CommunicationLane* const both[] = {lanes.at(0).get(), lanes.at(1).get()};
  return allocations_of(step, *context.backward, both);
}

TEST(Allocations, AreNoneOnTwoLanes) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  for (const bool thread : {true, false}) EXPECT_EQ(allocations_on_two_lanes(thread), none);
}

TEST(Allocations, AreNoneInAWholeStepOnTheKernels) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  auto shapes = mixed_models();
  shapes.insert(shapes.end(), {model::find_preset("tiny"), small_llama()});
  for (auto const& shape : shapes)
    for (auto const& strategy : preset_steps(plan_of(shape))) {
      StepRun step({shape, {2, 16}, strategy, 0.5});
      WatchedLane compute(*step.lane);
      step.run(compute);
      step.run(compute);
      EXPECT_EQ(own_allocations(), none);
    }
}

/// Returns the allocations of a sharded step on the kernels, with a lane for each of its communicators.
Allocations allocations_of_sharded(StepCase const& c, bool thread, WireFormat wire) {
  const int rank = test_runtime->rank();
  const auto graphs = graphs_of(c);
  auto const& graph = graphs.classes[model::class_of_ranks(graphs)[static_cast<std::size_t>(rank)]].graph;
  const auto places = place_buffers(graph);
  const auto memory = kernels::poisoned(places.elements);
  const StepGroups groups(graphs, *test_runtime, false);
  CompiledStep step(graph, places.first, groups.places());
  StepLane lane({c.shape, c.tokens, draw_tokens(c.shape, c.tokens, c.strategy.micro_batches, step_seed),
                 c.optimizer, c.clip},
                graph, places, memory, groups.places());
  lane.initialise(step_seed);
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (const auto id : step.lanes())
    engines.push_back(std::make_unique<MpiEngine>(groups.communicator(id), memory.data(), 5000, 60, wire));
  const auto lanes = make_lanes(std::move(engines), {.thread = thread}, rank);
  std::vector<CommunicationLane*> all;
  for (auto const& each : lanes) all.push_back(each.get());
  return allocations_of(step, lane, all);
}

TEST(Allocations, AreNoneInShardedWholeSteps) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  using model::ShardStage;
  const auto shape = model::find_preset("tiny");
  for (auto const& sharding : std::vector<model::Sharding>{
           {.stage = ShardStage::zero1},
           {.stage = ShardStage::zero1, .reduce = model::Verb::all_reduce, .update = model::Verb::broadcast},
           {.stage = ShardStage::zero2, .lanes = 2},
           {.stage = ShardStage::fsdp, .lanes = 2},
           {.stage = ShardStage::fsdp, .reshard_after_forward = false}})
    for (const bool thread : {true, false})
      for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
        StepCase c{shape, {2, 16}, {.ddp = {.plan = plan_of(shape)}, .micro_batches = 2}, 0.5};
        c.strategy.clipped = true;
        c.strategy.optimizer = model::Optimizer::adamw;
        c.strategy.sharding = sharding;
        EXPECT_EQ(allocations_of_sharded(c, thread, wire), none) << static_cast<int>(sharding.stage);
      }
}

TEST(Allocations, AreNoneInTheTwinOfAWholeStep) {
  const auto shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  for (auto const& strategy : preset_steps(plan_of(shape))) {
    const auto graph =
        model::whole_step(pass, model::forward_pass(shape), 48, strategy, 2).classes.front().graph;
    CompiledStep step(graph, place_buffers(graph).first, {GroupPlace{0, 2}});
    StepReplay compute(model::modelled_phases(shape, pass, {2, 24}, {1e12, 1e10}, 4, true));
    ThreadedLane allreduce(std::make_unique<ReplayEngine>(model::AlphaBeta{1e-5, 1e9}));
    CommunicationLane* const lane = &allreduce;
    EXPECT_EQ(allocations_of(step, compute, {&lane, 1}), none);
  }
}

TEST(Allocations, AreNoneInATwinWhoseLanesShareALink) {
  const auto shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  const model::Strategy strategy{.sharding = {.stage = model::ShardStage::fsdp, .group = 2}};
  const auto graphs = model::whole_step(pass, model::forward_pass(shape), 48, strategy, 4);
  auto const& graph = graphs.classes.front().graph;
  for (const bool thread : {true, false}) {
    CompiledStep step(graph, place_buffers(graph).first, {GroupPlace{0, 4}, {0, 2}, {0, 2}});
    StepReplay compute(model::modelled_phases(shape, pass, {2, 24}, {1e12, 1e10}, 4, true));
    const auto link = std::make_shared<ReplayLink>();
    const CollectiveCost cost = [](model::Verb, std::int64_t bytes) { return 1e-5 + 1e-9 * double(bytes); };
    std::vector<std::unique_ptr<CollectiveEngine>> engines;
    for (std::size_t lane = 0; lane < step.lanes().size(); ++lane)
      engines.push_back(std::make_unique<ReplayEngine>(cost, 1, link));
    const auto lanes = make_lanes(std::move(engines), {.thread = thread}, 0);
    CommunicationLane* const both[] = {lanes.at(0).get(), lanes.at(1).get()};
    EXPECT_EQ(allocations_of(step, compute, both), none);
  }
}

TEST(Allocations, APlantedAllocationInEachOperatorIsFound) {
  DDPROXY_SKIP_IF_LAUNCHES_ALLOCATE();
  const Config config = tiny();
  const auto context = make_rank_context(config, make_workload(config), *test_runtime);
  const auto found = allocations_of(context, preset_cases(config, context.workload).front(), true);
  ASSERT_EQ(found.size(), context.backward->operations());
  for (auto const& one : found) EXPECT_NE(one.find("WatchedLane::run"), std::string::npos) << one;
}

std::unique_ptr<int> planted_number;
std::vector<int> planted_list;
std::string planted_text;

TEST(AllocationWatch, FindsOwnAllocationsInTheStandardLibraryAndInFmt) {
  planted_list = {};
  planted_list.shrink_to_fit();
  watch_allocations();
  planted_number = std::make_unique<int>(1);
  planted_list.push_back(1);
  planted_text = fmt::format("{:>200}", 1);
  const auto found = own_allocations();
  EXPECT_GE(found.size(), 3U) << testing::PrintToString(found);
}

TEST(AllocationWatch, FindsOwnAllocationsOfAnotherThread) {
  std::atomic<bool> watched = false;
  std::thread other([&] {
    while (!watched) std::this_thread::yield();
    planted_number = std::make_unique<int>(2);
  });
  watch_allocations();
  watched = true;
  other.join();
  EXPECT_EQ(own_allocations().size(), 1U);
}

TEST(AllocationWatch, LeavesOutAllocationsOfKokkos) {
  watch_allocations();
  const kernels::Space space;
  EXPECT_EQ(own_allocations(), none);
}

}  // namespace
}  // namespace ddproxy
