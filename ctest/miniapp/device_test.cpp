// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "ctest/miniapp/nccl_here.hpp"
#include "ctest/mpi_main.hpp"
#include "kernels/base/foreign_call.hpp"
#include "kernels/occupy_stream.hpp"
#include "miniapp/collectives/make_allreduce.hpp"
#include "miniapp/compute/replay/stream_replay.hpp"
#include "miniapp/compute/verification_pattern.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

// Tests that need a device. On a host all of them are skipped.
struct Device : testing::Test {
  void SetUp() override {
    if (!on_device) GTEST_SKIP() << "this build computes on the host";
  }
  kernels::Space exec;
};

double seconds_between(Completion const& from, Completion const& to) {
  return ddproxy::seconds_between(moment_of(from), moment_of(to));
}

double seconds_held(kernels::OccupiedStream const& stream, kernels::Space const& exec, double asked) {
  Marks marks(1);
  stream.hold(1e-3);  // so that the host is ahead of the stream
  const auto start = marks.after(exec);
  stream.hold(asked);
  marks.move_on();
  const auto end = marks.after(exec);
  exec.fence("held");
  return seconds_between(start, end);
}

void expect_near(double asked, std::vector<double> const& held) {
  const auto [least, most] = std::ranges::minmax(held);
  const double median = model::median(held);
  std::printf("asked %.1f us: %.1f to %.1f us, median %.1f\n", asked * 1e6, least * 1e6, most * 1e6,
              median * 1e6);
  EXPECT_NEAR(median, asked, std::max(0.02 * asked, 5e-6));
}

TEST_F(Device, AStreamIsHeldForTheRequestedTime) {
  if (test_runtime->ranks_on_device() > 1) GTEST_SKIP() << "ranks take turns on a device";
  synchronise_clocks();
  const kernels::OccupiedStream stream(exec);
  for (const double asked : {20e-6, 200e-6, 2e-3, 20e-3}) {
    std::vector<double> held;
    for (int i = 0; i < 9; ++i) held.push_back(seconds_held(stream, exec, asked));
    expect_near(asked, held);
  }
}

// Records an event after each operation, as a pass does. If the time of each launch were added to the time of
// its operation, the pass would take 1.5 times as long.
TEST_F(Device, AReplayedPassTakesTheSumOfItsOperationTimes) {
  if (test_runtime->ranks_on_device() > 1) GTEST_SKIP() << "ranks take turns on a device";
  synchronise_clocks();
  constexpr std::size_t operations = 400;
  StreamReplay backward(std::vector<double>(operations, 10e-6), 0, operations);
  std::vector<double> held;
  for (int i = 0; i < 9; ++i) {
    kernels::occupy_stream(exec, 5e-3);  // so that the host is ahead of the stream
    backward.begin();
    const auto start = backward.completion();
    Completion end;
    for (std::size_t op = 0; op < operations; ++op) {
      backward.run(op);
      end = backward.completion();
    }
    backward.fence();
    held.push_back(seconds_between(start, end));
  }
  expect_near(double(operations) * 10e-6, held);
}

TEST_F(Device, MarksUseTheClockOfTheHostAndDoNotBlockTheHost) {
  if (test_runtime->ranks_on_device() > 1) GTEST_SKIP() << "ranks take turns on a device";
  Marks marks(1);
  synchronise_clocks();
  const auto before = Clock::now();
  kernels::occupy_stream(exec, 0.05);
  const auto end = marks.after(exec);
  EXPECT_FALSE(is_over(end));
  const auto moment = wait_until_over(end);
  EXPECT_GT(moment, before + std::chrono::milliseconds(49));
  EXPECT_LT(moment, Clock::now() + std::chrono::milliseconds(1));
}

TEST_F(Device, ABucketIsCompleteAfterItsCopy) {
  const auto pass = model::backward_pass(model::find_preset("tiny"));
  const auto elements = static_cast<std::size_t>(model::parameters(pass));
  const kernels::Floats memory("buckets and gradients", 2 * elements);
  VerificationLane lane(pass, memory, elements, 0, exec);
  synchronise_clocks();
  run_all(lane);  // loads the kernels
  lane.copy({elements, 1}, 0);
  lane.begin();
  for (std::size_t op = 0; op < lane.operations(); ++op) {
    lane.run(op);
    const auto before_copy = lane.completion();
    const Slice slice = completed_slices(pass)[op];
    if (slice.count == 0) continue;
    lane.copy({elements + slice.offset, slice.count}, slice.offset);
    const auto copied = wait_until_over(lane.completion());
    EXPECT_GT(copied, moment_of(before_copy)) << op;
  }
}

// The slice is written late. A reduction that does not wait for the event would read the poison.
void expect_average(Config const& config, kernels::Space const& exec) {
  const kernels::Floats arena("arena", 3'000'000);
  const auto allreduce = make_allreduce(config, {}, MPI_COMM_WORLD, kernels::elements_of(arena));
  const Slice whole{0, arena.size()};
  poison(arena);
  Marks marks(1);
  allreduce->begin(1);
  synchronise_clocks();
  kernels::occupy_stream(exec, 0.02);
  const int ranks = test_runtime->ranks(), groups = verification_groups(config.wire, ranks);
  write_verification_pattern(exec, arena, whole, test_runtime->rank(), groups);
  allreduce->start_all_reduce(whole, marks.after(exec));
  allreduce->wait_all();
  EXPECT_EQ(find_wrong(arena, {0, whole.count}, ranks, groups).count, 0) << allreduce->description();
  auto const& done = allreduce->finished().at(0);
  EXPECT_LE(done.start, done.end);
}

TEST_F(Device, MpiAveragesDeviceMemoryThroughPinnedMemory) {
  Config config;
  config.buffers = Buffers::staged;
  config.piece_mib = 1;
  expect_average(config, exec);
}

TEST_F(Device, NcclAveragesDeviceMemory) {
  if (const auto reason = why_no_nccl(); !reason.empty()) GTEST_SKIP() << reason;
  Config config;
  config.backend = Backend::nccl;
  for (const auto priority : {Priority::normal, Priority::high})
    for (const auto wire : {WireFormat::fp32, WireFormat::bf16}) {
      config.priority = priority;
      config.wire = wire;
      expect_average(config, exec);
    }
}

TEST_F(Device, AnNcclReductionBeyondTheTimeLimitIsAnError) {
  if (nccl_version() == "none") GTEST_SKIP() << "this build has no NCCL";
  if (test_runtime->ranks_on_device() > 1) GTEST_SKIP() << "the other rank would occupy the device";
  Config config;
  config.backend = Backend::nccl;
  config.timeout_s = 5;
  const kernels::Floats arena("arena", 1000);
  const auto allreduce = make_allreduce(config, {}, MPI_COMM_WORLD, kernels::elements_of(arena));
  Marks marks(1);
  allreduce->begin(1);
  allreduce->start_all_reduce(
      {0, 1000},
      marks.after(exec));  // the library loads its kernels in this call, the first that needs them
  allreduce->wait_all();
  marks.move_on();
  allreduce->begin(1);
  kernels::occupy_stream(exec, 8);  // the reduction waits for this
  allreduce->start_all_reduce({100, 50}, marks.after(exec));
  try {
    allreduce->wait_all();
    ADD_FAILURE() << "no error";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(
        std::string(error.what()).find("the all-reduce of bucket 0 (elements 100 to 149) is not complete"),
        std::string::npos)
        << error.what();
  }
  exec.fence("over");
}

// Leaves an error behind, as a library does that goes on after one of its calls has failed.
void leave_an_error() {
#if defined(KOKKOS_ENABLE_CUDA)
  (void)cudaSetDevice(-1);
#elif defined(KOKKOS_ENABLE_HIP)
  (void)hipSetDevice(-1);
#endif
}

TEST_F(Device, AnErrorLeftByALibraryIsIgnored) {
  Marks marks(2);
  {
    const kernels::ForeignCall foreign;
    leave_an_error();
  }
  EXPECT_NO_THROW(marks.after(exec));
  {
    const auto limit = test_runtime->limited("a call of MPI");
    leave_an_error();
  }
  marks.move_on();
  EXPECT_NO_THROW(marks.after(exec));
}

TEST_F(Device, AnErrorOfDdproxyIsReportedOnce) {
  Marks marks(2);
  leave_an_error();
  EXPECT_THROW(marks.after(exec), std::runtime_error);
  EXPECT_NO_THROW(marks.after(exec));
  leave_an_error();
  EXPECT_THROW(kernels::ForeignCall(), std::runtime_error) << "it would look like an error of the library";
  EXPECT_NO_THROW(kernels::check_launches());
}

TEST_F(Device, HasANameAUuidAClockRateAndFreeMemory) {
  const auto info = describe_device(test_runtime->device());
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.uuid.size(), std::string("GPU-00000000-0000-0000-0000-000000000000").size());
  EXPECT_GT(info.clock_hz, 1e8);
  EXPECT_GT(free_device_memory(), 1e6);
  EXPECT_FALSE(device_versions().empty());
  std::string reason;
  if (count_devices(reason) == 1) {
    EXPECT_EQ(peers_of(test_runtime->device()), "");
  }
}

}  // namespace
}  // namespace ddproxy
