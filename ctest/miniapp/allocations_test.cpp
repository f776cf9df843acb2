// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "ctest/mpi_main.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/run_step.hpp"

// Counts what own code allocates while a step runs, on any thread. Two things are left out: MPI uses malloc,
// and Kokkos makes an execution-space instance for each kernel that it launches.
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

// Starts to count when the first operator runs, and stops when the last lane is fenced: the timed region.
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

int allocations_of(model::CopyMode copies, Backend backend, bool plants_one = false) {
  Config config;
  config.shape = model::find_preset("tiny");
  config.tokens = {2, 24};
  config.backend = backend;
  config.copies = copies;
  config.machine.bandwidth = 1e10;
  const auto workload = make_workload(config);
  const auto context = make_rank_context(config, workload, *test_runtime);
  CompiledStep step = context.compile(
      {model::strategy_named("per_tensor"), 0, model::per_tensor_plan(workload.gradient_bytes)});
  CountingLane lane(*context.backward);
  run_step(step, lane, *context.allreduce);  // what is made on first use
  lane.plants_one = plants_one;
  run_step(step, lane, *context.allreduce);
  counting = false;
  return allocations;
}

TEST(Allocations, AStepMakesNone) {
  for (const auto copies : {model::CopyMode::none, model::CopyMode::in, model::CopyMode::in_out})
    EXPECT_EQ(allocations_of(copies, Backend::mpi), 0);
}

TEST(Allocations, APlantedOneIsCounted) {
  EXPECT_GT(allocations_of(model::CopyMode::none, Backend::mpi, true), 0);
}

}  // namespace
}  // namespace ddproxy
