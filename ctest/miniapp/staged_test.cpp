// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>

#include "ctest/miniapp/late_staging.hpp"
#include "ctest/mpi_main.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/engines/staged_engine.hpp"
#include "miniapp/compute/verification_pattern.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t piece = 100;

struct Staged {
  LateStaging* staging;
  std::unique_ptr<StagedEngine> engine;
};

Staged make(kernels::Floats const& arena, double timeout = 60, WireFormat wire = WireFormat::fp32) {
  auto staging = std::make_unique<LateStaging>(arena.data(), piece);
  auto* const kept = staging.get();
  auto inner = std::make_unique<MpiEngine>(MPI_COMM_WORLD, staging->memory(), piece, timeout, wire);
  return {kept,
          std::make_unique<StagedEngine>(std::move(staging), std::move(inner), piece,
                                         GroupPlace{test_runtime->rank(), test_runtime->ranks()}, timeout)};
}

void reduce(CommunicationLane& allreduce, std::vector<Slice> const& slices) {
  allreduce.begin(slices.size());
  for (auto const& slice : slices) {
    allreduce.start_all_reduce(slice, {Clock::now()});
    allreduce.progress();
  }
  allreduce.wait_all();
}

void expect_average(CommunicationLane& allreduce, kernels::Floats const& arena,
                    std::vector<Slice> const& slices) {
  write_verification_pattern(arena, {0, arena.size()}, test_runtime->rank());
  reduce(allreduce, slices);
  EXPECT_EQ(find_wrong(arena, {0, arena.size()}, test_runtime->ranks()).count, 0);
  auto const& done = allreduce.finished();
  ASSERT_EQ(done.size(), slices.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_EQ(done[i].call.assigned, slices[i]);
    EXPECT_LE(done[i].start, done[i].end);
  }
}

const std::vector<Slice> all_lengths{{0, 1}, {1, 99}, {100, 100}, {200, 101}, {301, 199}, {500, 500}};

TEST(Staged, AThreadedLaneAveragesSlicesOfAnyLength) {
  const kernels::Floats arena("arena", 1000);
  ThreadedLane allreduce(make(arena).engine);
  for (int pass = 0; pass < 3; ++pass) expect_average(allreduce, arena, all_lengths);
}

TEST(Staged, APolledLaneAveragesSlicesOfAnyLength) {
  const kernels::Floats arena("arena", 1000);
  for (const bool poll : {true, false}) {
    PolledLane allreduce(make(arena).engine, poll);
    for (int pass = 0; pass < 3; ++pass) expect_average(allreduce, arena, all_lengths);
  }
}

TEST(Staged, DoesNotChangeTheRestOfTheArena) {
  const kernels::Floats arena("arena", 400);
  const float mine = verification_weight(test_runtime->rank());
  write_verification_pattern(arena, {0, 400}, test_runtime->rank());
  auto [staging, engine] = make(arena);
  engine->begin(all_reduce({50, 250}), {Clock::now()});
  engine->wait(0, [] { return true; });
  EXPECT_EQ(find_wrong(arena, {50, 250}, test_runtime->ranks()).count, 0);
  EXPECT_EQ(arena(49), mine * verification_pattern(49));
  EXPECT_EQ(arena(300), mine * verification_pattern(300));
}

// While a piece is reduced, the previous piece is copied back and the next piece is fetched.
TEST(Staged, CopiesOverlapWithTheReduction) {
  const kernels::Floats arena("arena", 1000);
  auto [staging, engine] = make(arena);
  engine->begin(all_reduce({0, 1000}), {Clock::now()});
  EXPECT_EQ(staging->most_waiting(), 2U);  // both slots are being filled
  engine->wait(0, [] { return true; });
  EXPECT_GE(staging->most_waiting(), 3U);  // a copy back and a fetch for one slot, a fetch for the other
  EXPECT_EQ(engine->description(), "mpi, host buffers, fp32, staged in pinned memory");
}

// Returns a number that uses all bits of its fraction. Its sign depends on the rank and the element.
float gradient(int rank, std::size_t element) {
  return std::sin(static_cast<float>(element) + 0.1F * static_cast<float>(rank));
}

void write_gradients(kernels::Floats const& arena) {
  for (std::size_t i = 0; i < arena.size(); ++i) arena(i) = gradient(test_runtime->rank(), i);
}

// Checks that the sum is a bf16 number and lies within the error bound of the exact sum. The number of ranks
// is a power of two, so the average times this number is the sum without a further rounding.
void expect_rounded_average(kernels::Floats const& arena, Slice slice) {
  const int ranks = test_runtime->ranks();
  for (std::size_t i = slice.offset; i < slice.offset + slice.count; ++i) {
    double sum = 0, size = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += gradient(rank, i), size += std::abs(gradient(rank, i));
    const float reduced = arena(i) * static_cast<float>(ranks);
    EXPECT_EQ(from_bf16(to_bf16(reduced)), reduced) << i;
    EXPECT_LE(std::abs(reduced - sum), wire_error_bound(WireFormat::bf16, ranks) * size) << i;
  }
}

TEST(Staged, GradientsAreRoundedToBf16AndWidened) {
  const kernels::Floats arena("arena", 1000);
  ThreadedLane allreduce(make(arena, 60, WireFormat::bf16).engine);
  EXPECT_EQ(allreduce.description(), "mpi, host buffers, bf16, staged in pinned memory, thread");
  for (int pass = 0; pass < 3; ++pass) {
    write_gradients(arena);
    reduce(allreduce, all_lengths);
    expect_rounded_average(arena, {0, 1000});
  }
}

TEST(Staged, Bf16DoesNotChangeTheRestOfTheArena) {
  const kernels::Floats arena("arena", 400);
  write_gradients(arena);
  auto [staging, engine] = make(arena, 60, WireFormat::bf16);
  engine->begin(all_reduce({50, 250}), {Clock::now()});
  engine->wait(0, [] { return true; });
  expect_rounded_average(arena, {50, 250});
  EXPECT_EQ(arena(49), gradient(test_runtime->rank(), 49));
  EXPECT_EQ(arena(300), gradient(test_runtime->rank(), 300));
}

TEST(Staged, ATimeoutNamesRankBucketAndElementsOfTheArena) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "needs a rank to wait for";
  const kernels::Floats arena("arena", 300);
  auto [staging, engine] = make(arena, test_runtime->rank() == 0 ? 0.05 : 60);
  if (test_runtime->rank() != 0) MPI_Barrier(MPI_COMM_WORLD);
  engine->begin(all_reduce({150, 150}), {});
  if (test_runtime->rank() != 0) return engine->wait(7, [] { return true; });
  try {
    engine->wait(7, [] { return true; });
    ADD_FAILURE() << "no timeout";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(std::string(error.what()).find("rank 0: the all-reduce of bucket 7 (elements 150 to 299)"),
              std::string::npos)
        << error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  while (!engine->test()) continue;
}

// Replaces a device's kernel. Each element of a slice must be scaled once.
void scale_in_place(float* values, std::size_t count, float factor) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

TEST(DeviceBuffers, AreScaledInPlace) {
  const kernels::Floats arena("arena", 1000);
  auto engine = std::make_unique<MpiEngine>(MPI_COMM_WORLD, arena.data(), piece, 60, WireFormat::fp32,
                                            MpiCallTable(), scale_in_place);
  EXPECT_EQ(engine->description(), "mpi, device buffers, fp32");
  ThreadedLane allreduce(std::move(engine));
  expect_average(allreduce, arena, all_lengths);
}

}  // namespace
}  // namespace ddproxy
