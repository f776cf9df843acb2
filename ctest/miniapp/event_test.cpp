// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/compute/replay/stream_replay.hpp"
#include "miniapp/device/marks.hpp"
#include "miniapp/measure/pass/run_ahead.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;

/// An event like that of a device. It has passed when the test says so.
struct PlannedEvent : Event {
  bool over() const override { return passed; }
  Clock::time_point moment() const override { return at; }
  std::atomic<bool> passed = false;
  Clock::time_point at = Clock::now() - 1s;
};

/// Records whether the event had passed when a bucket was begun.
struct NotingEngine : CollectiveEngine {
  explicit NotingEngine(PlannedEvent const& event) : event_(event) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    too_early = too_early || !event_.passed;
    bucket = {call, Clock::now(), Clock::now(), ready.when};
  }
  bool test() override { return true; }
  void wait(std::size_t, CoreIsFree const&) override {}
  FinishedCall last() const override { return bucket; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "noting"; }
  PlannedEvent const& event_;
  std::atomic<bool> too_early = false;
  FinishedCall bucket{};
};

void expect_to_wait(CommunicationLane& allreduce, NotingEngine const& engine, PlannedEvent& event) {
  allreduce.begin(1);
  allreduce.start_all_reduce({0, 1}, {{}, &event});
  allreduce.progress();
  std::thread device([&] {
    std::this_thread::sleep_for(5ms);
    event.passed = true;
  });
  allreduce.wait_all();
  device.join();
  EXPECT_FALSE(engine.too_early);
  ASSERT_EQ(allreduce.finished().size(), 1U);
  EXPECT_EQ(allreduce.finished().front().ready, event.at);
}

TEST(Events, ACommunicationThreadWaitsForAnEvent) {
  PlannedEvent event;
  auto engine = std::make_unique<NotingEngine>(event);
  auto const& noting = *engine;
  ThreadedLane allreduce(std::move(engine));
  expect_to_wait(allreduce, noting, event);
}

TEST(Events, APolledAllReduceWaitsForAnEvent) {
  for (const bool poll : {true, false}) {
    PlannedEvent event;
    auto engine = std::make_unique<NotingEngine>(event);
    auto const& noting = *engine;
    PolledLane allreduce(std::move(engine), poll);
    expect_to_wait(allreduce, noting, event);
  }
}

TEST(Events, TheEventOfACompletionOverridesItsTimePoint) {
  PlannedEvent event;
  EXPECT_FALSE(is_over({Clock::now() - 1s, &event}));
  event.passed = true;
  EXPECT_TRUE(is_over({Clock::now() + 1h, &event}));
  EXPECT_EQ(moment_of({{}, &event}), event.at);
  EXPECT_EQ(wait_until_over({{}, &event}), event.at);
}

TEST(Marks, StayTheSameUntilMoveOnIsCalled) {
  const kernels::Space exec;
  synchronise_clocks();
  Marks marks(2);
  const auto first = marks.after(exec);
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(marks.after(exec).when, first.when);
  marks.move_on();
  EXPECT_GT(wait_until_over(marks.after(exec)), moment_of(first));
}

// The host may be ahead of the device, but by at most RunAhead::most operations.
TEST(RunAhead, WaitsForTheOldestOperationAboveTheLimit) {
  std::vector<PlannedEvent> events(RunAhead::most + 2);
  RunAhead run_ahead(events.size());
  for (std::size_t i = 0; i < RunAhead::most; ++i) run_ahead.asked({{}, &events[i]});
  std::thread device([&] {
    std::this_thread::sleep_for(5ms);
    events[0].passed = true;
  });
  run_ahead.asked({{}, &events[RunAhead::most]});
  EXPECT_TRUE(events[0].passed);
  device.join();
}

TEST(RunAhead, NeverWaitsForAHost) {
  RunAhead run_ahead(2);
  for (int i = 0; i < 5; ++i) run_ahead.asked({Clock::now() + 1h});
  RunAhead none(0);
  none.asked({});
}

TEST(OccupiedStream, AnOperationStartsAtThePreviousPlannedEndUnlessTheStreamIdled) {
  EXPECT_EQ(kernels::start_after(1'000'000, 1'004'000), 1'000'000);
  EXPECT_EQ(kernels::start_after(1'000'000, 1'000'000), 1'000'000);
  EXPECT_EQ(kernels::start_after(1'000'000, 1'020'000), 1'020'000);
  EXPECT_EQ(kernels::start_after(0, 1'020'000), 1'020'000);  // the first operation
}

// Checks lower bounds only, because a sleep may end late.
TEST(OccupiedStream, AReplayedPassHoldsTheStream) {
  StreamReplay lane({2e-3, 3e-3}, 1e-3, 3);
  synchronise_clocks();
  const auto start = Clock::now();
  lane.begin();
  lane.run(0);
  const auto first = lane.completion();
  lane.run(1);
  const auto second = lane.completion();
  lane.wait_for({start});
  lane.copy({0, 4}, 4);
  lane.fence();
  EXPECT_GE(Clock::now() - start, 9ms);
  EXPECT_GE(moment_of(second) - moment_of(first), 2900us);
}

}  // namespace
}  // namespace ddproxy
