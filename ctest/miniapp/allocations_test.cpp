// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/replay_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"
#include "miniapp/compute/step_replay.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/input/step_memory.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/run_step.hpp"
#include "model/step/strategies/whole_step.hpp"

// Counts the allocations by ddproxy's code while a step runs, on any thread. Two kinds of allocations do not
// count: those of MPI, which uses malloc, and those of Kokkos, which creates an execution-space instance for
// each kernel that it launches.
namespace {
std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;
thread_local bool within_kokkos = false;
}  // namespace

void* operator new(std::size_t bytes) {
  if (counting && !within_kokkos) ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace ddproxy {
namespace {

// Counts from the first operator to the fence of the last lane, which is the timed region.
class CountingLane : public ComputeLane {
 public:
  explicit CountingLane(ComputeLane& lane) : lane_(lane) {}
  std::size_t operations() const override { return lane_.operations(); }
  void begin() override {
    lane_.begin();
    allocations = 0;
    counting = true;
  }
  void run(std::size_t operation) override {
    within_kokkos = true;
    lane_.run(operation);
    within_kokkos = false;
    if (plants_one) planted_ = std::make_unique<int>(1);
  }
  bool knows(model::Compute const& compute) const override { return lane_.knows(compute); }
  void carry_out(ComputeCall const& call) override { lane_.carry_out(call); }
  void copy(Slice from, std::size_t to) override {
    within_kokkos = true;
    lane_.copy(from, to);
    within_kokkos = false;
  }
  void wait_for(Completion const& completion) override { lane_.wait_for(completion); }
  Completion completion() override { return lane_.completion(); }
  void fence() override { lane_.fence(); }
  bool plants_one = false;

 private:
  ComputeLane& lane_;
  std::unique_ptr<int> planted_;
};

Config tiny(model::CopyMode copies = model::CopyMode::none, Backend backend = Backend::mpi) {
  Config config;
  config.shape = model::find_preset("tiny");
  config.tokens = {2, 24};
  config.backend = backend;
  config.copies = copies;
  config.machine.bandwidth = 1e10;
  return config;
}

/// Returns the allocations of the second of two runs. The first run allocates what later runs use again.
int allocations_of_second_run(CompiledStep& step, ComputeLane& lane,
                              std::span<CommunicationLane* const> lanes, bool plants_one = false) {
  CountingLane compute(lane);
  run_step(step, compute, lanes);
  compute.plants_one = plants_one;
  run_step(step, compute, lanes);
  counting = false;
  return allocations;
}

int allocations_of(model::CopyMode copies, Backend backend, bool plants_one = false) {
  const Config config = tiny(copies, backend);
  const auto workload = make_workload(config);
  const auto context = make_rank_context(config, workload, *test_runtime);
  CompiledStep step = context.compile(
      {model::strategy_named("per_tensor"), 0, model::per_tensor_plan(workload.gradient_bytes)});
  CommunicationLane* const lane = context.allreduce.get();
  return allocations_of_second_run(step, *context.backward, {&lane, 1}, plants_one);
}

/// Returns the allocations of a step that reduces every second bucket on a lane of its own. The last bucket
/// waits for both lanes.
int allocations_on_two_lanes(bool thread) {
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
  return allocations_of_second_run(step, *context.backward, both);
}

/// Returns the allocations of the twin of a whole step that has tasks of every phase.
int allocations_of_twin() {
  const auto shape = model::find_preset("tiny");
  const auto pass = model::backward_pass(shape);
  const model::WholeStep strategy{
      .ddp = {.plan = model::per_tensor_plan(make_workload(tiny()).gradient_bytes)},
      .micro_batches = 2,
      .clipped = true,
      .optimizer = model::Optimizer::adamw,
      .checkpoint = model::Checkpoint::layer};
  const auto graph =
      model::whole_step(pass, model::forward_pass(shape), 48, strategy, 2).classes.front().graph;
  CompiledStep step(graph, place_buffers(graph).first, {GroupPlace{0, 2}});
  StepReplay compute(model::modelled_phases(shape, pass, {2, 24}, {1e12, 1e10}, 4, true));
  ThreadedLane allreduce(std::make_unique<ReplayEngine>(model::AlphaBeta{1e-5, 1e9}));
  CommunicationLane* const lane = &allreduce;
  return allocations_of_second_run(step, compute, {&lane, 1});
}

TEST(Allocations, AStepMakesNone) {
  for (const auto copies : {model::CopyMode::none, model::CopyMode::in, model::CopyMode::in_out})
    EXPECT_EQ(allocations_of(copies, Backend::mpi), 0);
}

TEST(Allocations, AStepOnTwoLanesMakesNone) {
  for (const bool thread : {true, false}) EXPECT_EQ(allocations_on_two_lanes(thread), 0);
}

TEST(Allocations, ATwinOfAWholeStepMakesNone) {
  EXPECT_EQ(allocations_of_twin(), 0);
}

TEST(Allocations, APlantedOneIsCounted) {
  EXPECT_GT(allocations_of(model::CopyMode::none, Backend::mpi, true), 0);
}

}  // namespace
}  // namespace ddproxy
