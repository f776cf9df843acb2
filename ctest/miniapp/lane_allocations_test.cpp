// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctest/miniapp/allocation_watch.hpp"
#include "ctest/miniapp/exact_step.hpp"
#include "ctest/miniapp/late_staging.hpp"
#include "ctest/miniapp/ring_step.hpp"
#include "ctest/model/step/steps.hpp"

// ddproxy's own code must allocate nothing in the timed region of a step, on any thread. This file watches
// the communication lanes in sharded steps and pipelines, with exact numbers. allocations_test.cpp watches
// steps on the kernels and replayed steps.
namespace ddproxy {

// Returns the thread level that these tests ask of MPI. Blocking MPI calls on several lanes need a thread for
// each lane.
int mpi_threads_of_test() {
  return MPI_THREAD_MULTIPLE;
}

namespace {

using Allocations = std::vector<std::string>;
const Allocations none;

const model::Layers layers{{96, 41, 64, 7}};

std::size_t ranks() {
  return static_cast<std::size_t>(test_runtime->ranks());
}

/// Staging memory that copies at once. It allocates nothing after its construction.
class PromptStaging : public Staging {
 public:
  PromptStaging(float* arena, std::size_t piece) : arena_(arena), piece_(piece), memory_(2 * piece) {}
  float* memory() override { return memory_.data(); }
  void fetch(std::size_t slot, Runs const& runs) override {
    for (std::size_t run = 0; run < runs.count; ++run)
      std::copy_n(in_arena(runs, run), runs.first.count, in_slot(slot, runs, run));
  }
  void put_back(std::size_t slot, Runs const& runs) override {
    for (std::size_t run = 0; run < runs.count; ++run)
      std::copy_n(in_slot(slot, runs, run), runs.first.count, in_arena(runs, run));
  }
  bool over(std::size_t) override { return true; }

 private:
  float* in_arena(Runs const& runs, std::size_t run) const {
    return arena_ + runs.first.offset + run * runs.step;
  }
  float* in_slot(std::size_t slot, Runs const& runs, std::size_t run) {
    return memory() + slot * piece_ + runs.in_buffer + run * runs.first.count;
  }

  float* arena_;
  std::size_t piece_;
  std::vector<float> memory_;
};

template <class AnyStaging>
std::unique_ptr<Staging> make_staging(float* arena, std::size_t piece) {
  return std::make_unique<AnyStaging>(arena, piece);
}

/// Returns drives with a thread and without, with each wire format.
std::vector<Drive> direct_drives() {
  std::vector<Drive> drives;
  for (const bool thread : {true, false})
    for (const auto wire : {WireFormat::fp32, WireFormat::bf16})
      drives.push_back({.thread = thread, .wire = wire});
  return drives;
}

/// Returns direct_drives(), and the same drives with staged copies.
std::vector<Drive> all_drives() {
  auto drives = direct_drives();
  for (Drive drive : direct_drives()) {
    drive.staging = make_staging<PromptStaging>;
    drives.push_back(std::move(drive));
  }
  return drives;
}

/// Returns the allocations of the second of two runs. The first run is a warm-up: it allocates what later
/// runs reuse.
Allocations allocations_of(model::RankGraphs const& graphs, Drive drive) {
  Allocations found;
  drive.at_start = watch_allocations;
  drive.at_end = [&] { found = own_allocations(); };
  ExactStep exact(graphs, std::move(drive));
  for (int run = 0; run < 2; ++run) EXPECT_EQ(exact.run(), 0U);
  return found;
}

void expect_none(model::RankGraphs const& graphs, std::vector<Drive> const& drives) {
  for (std::size_t number = 0; number < drives.size(); ++number)
    EXPECT_EQ(allocations_of(graphs, drives[number]), none) << "drive " << number;
}

TEST(LaneAllocations, AreNoneInShardedStepsAndPipelines) {
  expect_none(model::ddp_step(layers, {.ranks = ranks(), .zero = model::Zero::stage2}), all_drives());
  expect_none(model::fsdp_step(layers, {.shards = ranks(), .micro_batches = 2}), all_drives());
  expect_none(model::pipeline_step(ranks(), 4), all_drives());
}

TEST(LaneAllocations, AreNoneInHybridSharding) {
  if (ranks() != 4) GTEST_SKIP() << "needs four ranks";
  expect_none(model::fsdp_step(layers, {.shards = 2, .replicas = 2, .micro_batches = 2}), all_drives());
}

TEST(LaneAllocations, AreNoneInGroupsOfSendsAndReceives) {
  expect_none(ring_step(ranks(), 4), direct_drives());
}

TEST(LaneAllocations, AreNoneWithBlockingCallsOnSeveralLanes) {
  if (provided_threads() < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI does not provide MPI_THREAD_MULTIPLE";
  const auto graphs = model::fsdp_step(layers, {.shards = ranks(), .micro_batches = 2});
  expect_none(graphs, {{.blocking = true}, {.blocking = true, .wire = WireFormat::bf16}});
}

// LateStaging keeps its copies in a queue, and allocates for each of them.
TEST(LaneAllocations, AreFoundIfTheStagingAllocates) {
  const auto graphs = model::fsdp_step(layers, {.shards = ranks()});
  for (const bool thread : {true, false}) {
    const auto found = allocations_of(graphs, {.thread = thread, .staging = make_staging<LateStaging>});
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found.front().find("LateStaging"), std::string::npos) << found.front();
  }
}

}  // namespace
}  // namespace ddproxy
