// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "ctest/mpi_main.hpp"
#include "kernels/base/types.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/input/message_sizes.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/calibration/measure.hpp"

namespace ddproxy {
namespace {

int ranks() {
  return test_runtime->ranks();
}
int rank() {
  return test_runtime->rank();
}

// The driver of the all-reduces and its MPI calls. For `poll` and `none` the driver is the compute side, else
// a thread. A spinning thread has a core of its own. The MPI calls are nonblocking if the name does not say
// otherwise.
enum class Drive { thread, spinning, poll, none, blocking, spinning_blocking, both_mpi_calls };

MpiCallTable mpi_calls_of(Drive drive) {
  if (drive == Drive::both_mpi_calls)
    return MpiCallTable({4, 4096}, {false, true});  // blocking from 128 bytes on
  return MpiCallTable(drive == Drive::blocking || drive == Drive::spinning_blocking);
}

std::unique_ptr<CommunicationLane> driven(Drive drive, std::unique_ptr<CollectiveEngine> engine) {
  const bool poll = drive == Drive::poll;
  if (poll || drive == Drive::none) return std::make_unique<PolledLane>(std::move(engine), poll);
  const bool own_core = drive == Drive::spinning || drive == Drive::spinning_blocking;
  return std::make_unique<ThreadedLane>(std::move(engine),
                                        own_core ? ThreadPlace::own_core : ThreadPlace::shared_core, rank());
}

std::unique_ptr<MpiEngine> make_engine(Drive drive, kernels::Floats const& arena, WireFormat wire,
                                       double limit = 60) {
  return std::make_unique<MpiEngine>(MPI_COMM_WORLD, arena.data(), 100, limit, wire, mpi_calls_of(drive));
}

// A piece has at most 100 elements, so larger slices are divided into several pieces.
std::unique_ptr<CommunicationLane> make(Drive drive, kernels::Floats const& arena,
                                        WireFormat wire = WireFormat::fp32) {
  return driven(drive, make_engine(drive, arena, wire));
}

TEST(MessageSizes, GrowByFactorsOfFourThenTwoAndEndAtTheLargest) {
  for (const std::int64_t largest : {1024, 3000, 65536, 98303, 98304, 100000, 1 << 30, 1'610'612'736}) {
    const auto sizes = message_sizes(largest);
    EXPECT_EQ(sizes.back(), largest);
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      EXPECT_LT(sizes[i - 1], sizes[i]) << largest;
      EXPECT_LE(sizes[i], (sizes[i - 1] < 65536 ? 4 : 3) * sizes[i - 1]) << largest;
    }
  }
  EXPECT_EQ(message_sizes(100000), (std::vector<std::int64_t>{1024, 4096, 16384, 65536, 100000}));
  EXPECT_EQ(message_sizes(500), (std::vector<std::int64_t>{500}));
}

struct EveryDrive : testing::TestWithParam<Drive> {
  void averages_each_slice_once_in_order(WireFormat wire);
};

void EveryDrive::averages_each_slice_once_in_order(WireFormat wire) {
  const kernels::Floats arena("arena", 1000);
  const auto allreduce = make(GetParam(), arena, wire);
  const std::vector<Slice> slices{{0, 1}, {1, 99}, {100, 100}, {200, 101}, {301, 699}};
  for (int pass = 0; pass < 3; ++pass) {
    write_verification_pattern(arena, {0, 1000}, rank());
    allreduce->begin(slices.size());
    for (auto const& slice : slices) {
      allreduce->start_all_reduce(slice, {Clock::now()});
      allreduce->progress();
    }
    allreduce->wait_all();
    EXPECT_EQ(find_wrong(arena, {0, 1000}, ranks()).count, 0);
  }
  auto const& done = allreduce->finished();
  ASSERT_EQ(done.size(), slices.size());
  for (std::size_t i = 0; i < done.size(); ++i) {
    EXPECT_EQ(done[i].call.assigned, slices[i]);
    EXPECT_LE(done[i].start, done[i].end);
    EXPECT_LE(done[i == 0 ? 0 : i - 1].start, done[i].start);
    EXPECT_TRUE(i == 0 || done[i - 1].end <= done[i].start);
  }
}

TEST_P(EveryDrive, AveragesEachSliceOnceInOrder) {
  averages_each_slice_once_in_order(WireFormat::fp32);
}

TEST_P(EveryDrive, AveragesEachSliceOnceInOrderInBf16) {
  averages_each_slice_once_in_order(WireFormat::bf16);
}

TEST_P(EveryDrive, LeavesTheRestOfTheArenaAlone) {
  const kernels::Floats arena("arena", 300);
  write_verification_pattern(arena, {0, 300}, rank());
  const auto allreduce = make(GetParam(), arena);
  allreduce->begin(1);
  allreduce->start_all_reduce({100, 100}, {Clock::now()});
  allreduce->wait_all();
  EXPECT_EQ(find_wrong(arena, {100, 100}, ranks()).count, 0);
  const float mine = verification_weight(rank());
  EXPECT_EQ(arena(99), mine * verification_pattern(99));
  EXPECT_EQ(arena(200), mine * verification_pattern(200));
}

TEST_P(EveryDrive, DoesNotStartBeforeTheSliceIsReady) {
  using namespace std::chrono_literals;
  const kernels::Floats arena("arena", 100);
  const auto allreduce = make(GetParam(), arena);
  const auto ready = Clock::now() + 20ms;
  allreduce->begin(1);
  allreduce->start_all_reduce({0, 100}, {ready});
  allreduce->progress();
  allreduce->wait_all();
  EXPECT_GE(allreduce->finished().front().start, ready);
}

void reduce(CommunicationLane& allreduce, std::vector<Slice> const& slices) {
  allreduce.begin(slices.size());
  for (auto const& slice : slices) allreduce.start_all_reduce(slice, {Clock::now()});
  allreduce.wait_all();
}

// Runs on every rank except rank 0. Starts bucket 1 only after rank 0 has given up waiting for it.
void come_too_late(CommunicationLane& allreduce) {
  allreduce.begin(2);
  allreduce.start_all_reduce({0, 100}, {Clock::now()});
  allreduce.wait_for(0);
  MPI_Barrier(MPI_COMM_WORLD);
  allreduce.start_all_reduce({100, 150}, {Clock::now()});
  allreduce.wait_all();
}

// The sum of these numbers depends on the order of the additions.
TEST_P(EveryDrive, GivesTheSameBitsOnEveryRank) {
  const kernels::Floats arena("arena", 1000);
  for (std::size_t i = 0; i < 1000; ++i)
    arena(i) = 1.0F / static_cast<float>(1 + i * 7 + i * i * static_cast<std::size_t>(rank()));
  const auto allreduce = make(GetParam(), arena);
  reduce(*allreduce, {{0, 1}, {1, 399}, {400, 600}});
  std::vector<float> first(arena.data(), arena.data() + 1000);
  MPI_Bcast(first.data(), 1000, MPI_FLOAT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(std::memcmp(first.data(), arena.data(), 1000 * sizeof(float)), 0);
}

// With two ranks the MPI operation of the all-reduce itself averages. The result must have the bits of MPI's
// sum times 1/2. With more ranks the result may differ from the scaled sum by rounding.
TEST_P(EveryDrive, ScalesTheSumExactly) {
  const kernels::Floats arena("arena", 300);
  for (std::size_t i = 0; i < 300; ++i)
    arena(i) = std::ldexp(1.0F + static_cast<float>(i) / 7 + static_cast<float>(rank()),
                          static_cast<int>(i % 250) - 148);
  std::vector<float> sum(arena.data(), arena.data() + 300);
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), 300, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  const auto allreduce = make(GetParam(), arena);
  reduce(*allreduce, {{0, 300}});
  for (std::size_t i = 0; i < 300; ++i) {
    const float mean = sum[i] * (1.0F / static_cast<float>(ranks()));
    EXPECT_NEAR(arena(i), mean, ranks() > 2 ? std::abs(mean) * 1e-6 : 0) << i;
  }
}

TEST_P(EveryDrive, ATimeoutNamesRankBucketAndElements) {
  if (ranks() == 1) GTEST_SKIP() << "needs a rank to wait for";
  if (mpi_calls_of(GetParam()).ever_blocking()) GTEST_SKIP() << "for blocking MPI calls see test Watch";
  const kernels::Floats arena("arena", 250);
  auto owned = make_engine(GetParam(), arena, WireFormat::fp32, rank() == 0 ? 2 : 60);
  auto& engine = *owned;
  const auto allreduce = driven(GetParam(), std::move(owned));
  reduce(*allreduce, {{0, 50}, {50, 200}});
  if (rank() != 0) return come_too_late(*allreduce);
  try {
    reduce(*allreduce, {{0, 100}, {100, 150}});
    ADD_FAILURE() << "no timeout";
  } catch (std::runtime_error const& error) {
    EXPECT_STREQ(error.what(),
                 "rank 0: the all-reduce of bucket 1 (elements 100 to 249) is not complete after 2 s "
                 "(allreduce.timeout_s). Another rank or a device has stopped, or is slow. "
                 "If it is only slow, raise the limit");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  while (!engine.test()) continue;  // so that MPI ends with nothing in flight
}

/// Reports when the engine is destroyed. A thread that is stuck in a call keeps the engine until the call
/// returns.
struct Watched : CollectiveEngine {
  Watched(std::unique_ptr<CollectiveEngine> owned, std::atomic<bool>& flag)
      : inner(std::move(owned)), gone(flag) {}
  ~Watched() override {
    inner.reset();
    gone = true;
  }
  void begin(CollectiveCall const& call, Completion ready) override { inner->begin(call, ready); }
  bool test() override { return inner->test(); }
  void wait(std::size_t bucket, CoreIsFree const& core_is_free) override {
    inner->wait(bucket, core_is_free);
  }
  FinishedCall last() const override { return inner->last(); }
  ElementsByVerb elements_handed_over() const override { return inner->elements_handed_over(); }
  std::string description() const override { return inner->description(); }
  double unwatched_limit_s() const override { return inner->unwatched_limit_s(); }
  std::unique_ptr<CollectiveEngine> inner;
  std::atomic<bool>& gone;
};

void expect_stuck(CommunicationLane& allreduce) {
  note_step("testing");
  const auto start = Clock::now();
  try {
    reduce(allreduce, {{0, 100}, {100, 150}});
    ADD_FAILURE() << "no timeout";
  } catch (StuckCall const& error) {
    EXPECT_STREQ(error.what(),
                 "rank 0: the all-reduce of bucket 1 (elements 100 to 249) is not complete after 1 s "
                 "(allreduce.timeout_s), while testing. Another rank or a device has stopped, or is slow. "
                 "If it is only slow, raise the limit");
  }
  note_step("");
  EXPECT_GE(Clock::now() - start, std::chrono::seconds(1));
}

// The other ranks start bucket 1 only after rank 0 has given up. The thread of rank 0 is then still in MPI.
TEST(Watch, NamesABlockingCallThatDoesNotReturn) {
  if (ranks() == 1) GTEST_SKIP() << "needs a rank to wait for";
  const kernels::Floats arena("arena", 250);
  std::atomic<bool> gone{false};
  {
    const double limit = rank() == 0 ? 1 : 60;
    auto engine =
        std::make_unique<Watched>(make_engine(Drive::blocking, arena, WireFormat::fp32, limit), gone);
    ThreadedLane allreduce(std::move(engine), ThreadPlace::beside_threads, rank());
    reduce(allreduce, {{0, 50}, {50, 200}});
    if (rank() == 0)
      expect_stuck(allreduce);
    else
      come_too_late(allreduce);
    if (rank() == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  while (!gone)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that MPI ends with nothing in flight
}

TEST(Threaded, RefusesMoreCallsThanItHasRoomFor) {
  const kernels::Floats arena("arena", 10);
  const auto allreduce = make(Drive::thread, arena);
  allreduce->begin(1);
  allreduce->start_all_reduce({0, 1}, {Clock::now()});
  EXPECT_THROW(allreduce->start_all_reduce({1, 1}, {Clock::now()}), std::logic_error);
  allreduce->wait_all();
}

// If a wake-up were lost, this test would wait forever.
TEST(Threaded, HandsOverManyBucketsOneByOne) {
  const kernels::Floats arena("arena", 10);
  for (const auto drive : {Drive::blocking, Drive::spinning_blocking}) {
    const auto allreduce = make(drive, arena);
    for (int pass = 0; pass < 3; ++pass) {
      allreduce->begin(40);
      for (std::size_t bucket = 0; bucket < 40; ++bucket) {
        allreduce->start_all_reduce({0, 10}, {Clock::now()});
        allreduce->wait_for(bucket);
      }
      EXPECT_EQ(allreduce->finished().size(), 40U);
    }
  }
}

TEST(Threaded, AnErrorOfTheEngineReachesTheWaitingThread) {
  struct Broken : CollectiveEngine {
    void begin(CollectiveCall const&, Completion) override { throw std::runtime_error("broken wire"); }
    bool test() override { return true; }
    void wait(std::size_t, CoreIsFree const&) override {}
    FinishedCall last() const override { return {}; }
    ElementsByVerb elements_handed_over() const override { return {}; }
    std::string description() const override { return "broken"; }
  };
  ThreadedLane allreduce(std::make_unique<Broken>());
  allreduce.begin(2);
  allreduce.start_all_reduce({0, 1}, {Clock::now()});
  allreduce.start_all_reduce({1, 1}, {Clock::now()});
  EXPECT_THROW(allreduce.wait_all(), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Drives, EveryDrive,
                         testing::Values(Drive::thread, Drive::spinning, Drive::poll, Drive::none,
                                         Drive::blocking, Drive::spinning_blocking, Drive::both_mpi_calls));

}  // namespace
}  // namespace ddproxy
