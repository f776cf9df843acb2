// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Tests which thread carries out the calls of a ThreadedLane, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "ctest/miniapp/ddp_steps.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/joint_lanes.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/step_name.hpp"
#include "miniapp/errors/stuck_call.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "miniapp/measure/pass/run_step.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr Clock::duration patience = 20s;  // a thread of a busy machine runs within this time

template <class Condition>
bool becomes_true(Condition const& condition) {
  for (const auto end = Clock::now() + patience; !condition() && Clock::now() < end;) sched_yield();
  return condition();
}

/// Waits for 10 ms. The communication thread spins for 0.2 ms and then sleeps. On a busy machine it may still
/// spin.
void let_it_sleep() {
  std::this_thread::sleep_for(10ms);
}

/// What an engine saw. It lives until the engine has left its last call. Only the engine of a stuck call may
/// live longer.
struct Seen {
  std::atomic<std::size_t> begun{0};           // calls
  std::atomic<bool> released{true};            // false: the engine stays in its call
  std::atomic<int> inside{0}, most_inside{0};  // threads that carry out a call at the same time
  std::vector<std::thread::id> threads;        // [call]
  std::vector<std::size_t> calls;              // [call] offset of its slice
  Clock::duration takes = 5us;                 // time of a call
  std::size_t fails = nothing;                 // the call that throws

  /// Waits until a number of calls have begun. Returns whether they have.
  bool have_begun(std::size_t count) const {
    return becomes_true([&] { return begun >= count; });
  }
};

/// An engine without a library. It records the calls and the thread of each.
class Noting : public CollectiveEngine {
 public:
  explicit Noting(Seen& seen, double limit_s = 0) : seen_(seen), limit_s_(limit_s) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    seen_.most_inside = std::max(seen_.most_inside.load(), ++seen_.inside);
    call_ = {call, Clock::now(), {}, ready.when};
    seen_.threads.push_back(std::this_thread::get_id());
    seen_.calls.push_back(call.assigned.offset);
    ++seen_.begun;
  }
  bool test() override { return true; }
  void wait(std::size_t call, CoreIsFree const&) override {
    const auto end = Clock::now() + seen_.takes;
    while (Clock::now() < end) continue;
    becomes_true([&] { return seen_.released.load(); });
    call_.end = Clock::now();
    const bool fails = call == seen_.fails;
    --seen_.inside;  // from here on `seen_` may be gone
    if (fails) throw std::runtime_error("call " + std::to_string(call) + " fails");
  }
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "noting"; }
  double unwatched_limit_s() const override { return limit_s_; }

 private:
  Seen& seen_;
  double limit_s_;
  FinishedCall call_{};
};

void start(CommunicationLane& lane, std::size_t offset) {
  lane.start_all_reduce({offset, 1}, {Clock::now()});
}

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

// Starts three calls, waits for calls 0 and 1, and then for all. Returns 2 if the first wait carried out
// exactly these two on this thread, else 0. Returns `nothing` if the calls were not carried out in order.
std::size_t carried_out_here(ThreadPlace place) {
  Seen seen;
  ThreadedLane lane(std::make_unique<Noting>(seen), place);
  let_it_sleep();
  lane.begin(3);
  for (std::size_t i = 0; i < 3; ++i) start(lane, i);
  lane.wait_for(1);
  const std::size_t begun = seen.begun;
  lane.wait_all();
  if (seen.calls != first_numbers(3)) return nothing;
  return begun == 2 && seen.threads.front() == std::this_thread::get_id() ? 2 : 0;
}

// On a busy machine the communication thread may still spin, and take the calls. So one run of many suffices.
TEST(LaneThreads, TheWaitingThreadCarriesOutCallsOnASharedCore) {
  int runs = 0;
  while (carried_out_here(ThreadPlace::shared_core) != 2 && runs < 1000) ++runs;
  EXPECT_LT(runs, 1000);
}

TEST(LaneThreads, TheCommunicationThreadCarriesOutCallsOnItsOwnCoreOrWithSeveralLanes) {
  for (const auto place : {ThreadPlace::beside_threads, ThreadPlace::own_core})
    for (int run = 0; run < 20; ++run) EXPECT_EQ(carried_out_here(place), 0U);
}

/// What an engine was told about its core. It outlives the engine.
struct CoreSeen {
  std::atomic<bool> begun{false}, at_first{false}, later{false};
};

/// An engine whose wait() asks whether the core is free, and asks again for up to 50 ms until it is.
class Asking : public CollectiveEngine {
 public:
  explicit Asking(CoreSeen& seen) : seen_(seen) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    call_ = {call, Clock::now(), {}, ready.when};
  }
  bool test() override { return true; }
  void wait(std::size_t, CoreIsFree const& core_is_free) override {
    seen_.at_first = core_is_free();
    seen_.begun = true;
    const auto end = Clock::now() + 50ms;
    while (!core_is_free() && Clock::now() < end) std::this_thread::yield();
    seen_.later = core_is_free();
    call_.end = Clock::now();
  }
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "asking"; }

 private:
  CoreSeen& seen_;
  FinishedCall call_{};
};

// Starts a call beside compute, and then waits for it.
void ask(CoreSeen& seen, ThreadPlace place) {
  ThreadedLane lane(std::make_unique<Asking>(seen), place);
  lane.begin(1);
  start(lane, 0);
  lane.progress();
  EXPECT_TRUE(becomes_true([&] { return seen.begun.load(); }));
  lane.wait_all();
}

// An engine sleeps between two tests only while its core may be needed.
TEST(LaneThreads, TheCoreIsFreeIfNoComputeThreadNeedsIt) {
  CoreSeen own, shared, beside, here;
  ask(own, ThreadPlace::own_core);
  EXPECT_TRUE(own.at_first);
  ask(shared, ThreadPlace::shared_core);
  EXPECT_FALSE(shared.at_first);
  EXPECT_TRUE(shared.later);
  ask(beside, ThreadPlace::beside_threads);
  EXPECT_FALSE(beside.later);
  PolledLane polled(std::make_unique<Asking>(here), false);
  polled.begin(1);
  start(polled, 0);
  polled.wait_all();
  EXPECT_TRUE(here.at_first);
}

TEST(LaneThreads, ProgressBeginsACallOnTheCommunicationThread) {
  Seen seen;
  ThreadedLane lane(std::make_unique<Noting>(seen));
  lane.begin(2);
  for (std::size_t i = 0; i < 2; ++i) {
    let_it_sleep();
    start(lane, i);
    lane.progress();
    EXPECT_TRUE(seen.have_begun(i + 1));
  }
  lane.wait_all();
  for (const auto thread : seen.threads) EXPECT_NE(thread, std::this_thread::get_id());
}

// While the compute side carries out call 0, the communication thread may find the queue claimed, and go to
// sleep. The second progress() must wake it up for call 1.
TEST(LaneThreads, ProgressBeginsTheCallsThatAWaitLeftInTheQueue) {
  for (int run = 0; run < 20; ++run) {
    Seen seen;
    ThreadedLane lane(std::make_unique<Noting>(seen));
    if (run % 2 > 0) let_it_sleep();
    lane.begin(2);
    for (std::size_t i = 0; i < 2; ++i) start(lane, i);
    lane.progress();
    lane.wait_for(0);
    lane.progress();
    ASSERT_TRUE(seen.have_begun(2));
    lane.wait_all();
    EXPECT_EQ(seen.calls, first_numbers(2));
  }
}

// Both threads try to carry out the same calls. If a wake-up were lost, this test would not end.
TEST(LaneThreads, OneThreadAtATimeCarriesOutEachCallOnce) {
  Seen seen;
  seen.takes = 50us;  // long enough for another thread to come in
  constexpr std::size_t calls = 200;
  std::size_t here = 0;
  {
    ThreadedLane lane(std::make_unique<Noting>(seen));
    for (int pass = 0; pass < 20; ++pass) {
      seen.calls.clear();
      seen.threads.clear();
      lane.begin(calls);
      for (std::size_t i = 0; i < calls; ++i) {
        start(lane, i);
        if (i % 5 < 2) lane.progress();  // the other thread begins, and spins when it has done the call
        if (i % 5 == 1) std::this_thread::sleep_for(1us * (i % 23));
        if (i % 5 > 1) lane.wait_for(i);
      }
      lane.wait_all();
      EXPECT_EQ(seen.calls, first_numbers(calls));
      here += static_cast<std::size_t>(std::ranges::count(seen.threads, std::this_thread::get_id()));
    }
  }
  EXPECT_EQ(seen.most_inside, 1);
  EXPECT_GT(here, 0U);
  EXPECT_LT(here, 20 * calls);
}

/// What the engines of joint lanes saw. The thread that polls writes to all but the atomics.
struct JointSeen {
  std::atomic<int> inside{0}, most_inside{0};  // threads that are in an engine at the same time
  std::atomic<std::size_t> begun{0};           // calls
  std::size_t here = 0;                        // calls that `compute_side` began
  std::thread::id compute_side = std::this_thread::get_id();
  std::size_t fails = nothing;  // the number of the call that throws
};

/// An engine of a joint lane without a library. A call is done when it was tested three times.
class Tested : public CollectiveEngine {
 public:
  explicit Tested(JointSeen& seen) : seen_(seen) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    const Inside inside(seen_);
    call_ = {call, Clock::now(), {}, ready.when};
    left_ = 3;
    seen_.here += std::this_thread::get_id() == seen_.compute_side;
    if (seen_.begun++ == seen_.fails) throw std::runtime_error("the call fails");
  }
  bool test() override {
    const Inside inside(seen_);
    if (--left_ > 0) return false;
    call_.end = Clock::now();
    return true;
  }
  void wait(std::size_t, CoreIsFree const&) override {}
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return {}; }
  std::string description() const override { return "tested"; }

 private:
  struct Inside {
    explicit Inside(JointSeen& seen) : seen_(seen) {
      seen_.most_inside = std::max(seen_.most_inside.load(), ++seen_.inside);
    }
    ~Inside() { --seen_.inside; }
    JointSeen& seen_;
  };

  JointSeen& seen_;
  int left_ = 0;
  FinishedCall call_{};
};

std::vector<std::unique_ptr<CommunicationLane>> two_joint_lanes(JointSeen& seen, bool own_core = false) {
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (int lane = 0; lane < 2; ++lane) engines.push_back(std::make_unique<Tested>(seen));
  return make_joint_lanes(std::move(engines), {.thread = true, .own_core = own_core});
}

// Starts calls on both lanes. Sometimes hands them over, and sometimes waits for one lane only.
void use_joint_lanes(std::vector<std::unique_ptr<CommunicationLane>> const& lanes, std::size_t calls) {
  for (auto const& lane : lanes) lane->begin(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    for (auto const& lane : lanes) start(*lane, i);
    if (i % 5 < 2) lanes[0]->progress();
    if (i % 5 == 1) std::this_thread::sleep_for(1us * (i % 23));
    if (i % 5 > 1) lanes[i % 2]->wait_for(i);
  }
  for (auto const& lane : lanes) lane->wait_all();
}

// Both threads try to poll the engines. If a wake-up were lost, this test would not end.
TEST(LaneThreads, OneThreadAtATimePollsTheEnginesOfJointLanes) {
  JointSeen seen;
  constexpr std::size_t calls = 200, passes = 20;
  {
    const auto lanes = two_joint_lanes(seen);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      use_joint_lanes(lanes, calls);
      for (auto const& lane : lanes) EXPECT_EQ(lane->finished().size(), calls);
    }
  }
  EXPECT_EQ(seen.most_inside, 1);
  EXPECT_EQ(seen.begun, 2 * passes * calls);
  EXPECT_GT(seen.here, 0U);
  EXPECT_LT(seen.here, 2 * passes * calls);
}

TEST(LaneThreads, ProgressBeginsTheCallsOfJointLanesOnTheCommunicationThread) {
  JointSeen seen;
  {
    const auto lanes = two_joint_lanes(seen);
    let_it_sleep();
    for (auto const& lane : lanes) lane->begin(1);
    for (auto const& lane : lanes) start(*lane, 0);
    lanes[0]->progress();
    EXPECT_TRUE(becomes_true([&] { return seen.begun == 2; }));
    for (auto const& lane : lanes) lane->wait_all();
  }
  EXPECT_EQ(seen.here, 0U);
}

TEST(LaneThreads, TheComputeSideNeverPollsJointLanesIfTheirThreadHasACore) {
  JointSeen seen;
  use_joint_lanes(two_joint_lanes(seen, true), 100);
  EXPECT_EQ(seen.here, 0U);
}

TEST(LaneThreads, AnErrorOfAJointLaneIsThrownByTheWaitsOfBothLanes) {
  for (const bool progress : {false, true}) {
    JointSeen seen;
    seen.fails = 1;
    const auto lanes = two_joint_lanes(seen);
    for (auto const& lane : lanes) lane->begin(3);
    for (std::size_t i = 0; i < 3; ++i)
      for (auto const& lane : lanes) start(*lane, i);
    if (progress) lanes[0]->progress();
    for (auto const& lane : lanes) EXPECT_THROW(lane->wait_all(), std::runtime_error);
    EXPECT_EQ(seen.begun, 2U) << "no call begins after the call that fails";
  }
}

TEST(LaneThreads, AnErrorOfEitherThreadIsThrownByTheWait) {
  for (const auto place : {ThreadPlace::shared_core, ThreadPlace::own_core})
    for (const bool progress : {false, true}) {
      Seen seen;
      seen.fails = 1;
      ThreadedLane lane(std::make_unique<Noting>(seen), place);
      lane.begin(3);
      for (std::size_t i = 0; i < 3; ++i) start(lane, i);
      if (progress) lane.progress();
      EXPECT_THROW(lane.wait_all(), std::runtime_error);
      EXPECT_EQ(seen.calls, first_numbers(2)) << "nothing follows the call that fails";
    }
}

/// Lets the second of two calls last longer than the time limit. The function that would end the process
/// releases the call instead. Returns whether this thread was in the call.
bool is_stuck_here(ThreadPlace place) {
  Seen seen;
  std::string told;
  on_stuck_main_thread([&](std::string const& error) {
    told = error;
    seen.released = true;
  });
  ThreadedLane lane(std::make_unique<Noting>(seen, 0.2), place, 5);
  lane.begin(2);
  start(lane, 0);
  lane.wait_for(0);
  let_it_sleep();
  seen.released = false;
  start(lane, 1);
  try {
    lane.wait_all();
    ADD_FAILURE() << "no timeout";
  } catch (StuckCall const& error) {
    EXPECT_STREQ(error.what(),
                 "rank 5: the all-reduce of bucket 1 (elements 1 to 1) is not complete after 0.2 s "
                 "(allreduce.timeout_s), while testing. Another rank or a device has stopped, or is slow. "
                 "If it is only slow, raise the limit");
    const bool here = seen.threads.back() == std::this_thread::get_id();
    EXPECT_EQ(told, here ? error.what() : "");
  }
  seen.released = true;
  becomes_true([&] { return seen.inside == 0; });
  test_runtime->limit_calls();  // sets the runtime's own function again
  return seen.threads.back() == std::this_thread::get_id();
}

// A thread that is stuck in a call cannot throw, so the watchdog has to report it. On a busy machine the
// communication thread may still spin, and take the call. So one run of many suffices.
TEST(LaneThreads, TheWatchdogReportsAThreadThatIsStuckInACall) {
  note_step("testing");
  EXPECT_FALSE(is_stuck_here(ThreadPlace::own_core));
  int runs = 0;
  while (!is_stuck_here(ThreadPlace::shared_core) && runs < 20) ++runs;
  EXPECT_LT(runs, 20);
  note_step("");
}

/// A compute lane whose operator `waits` waits until the engine has begun a call.
struct Waiting : ComputeLane {
  Waiting(Seen& seen_, std::size_t waits_) : seen(seen_), waits(waits_) {}
  std::size_t operations() const override { return 4; }
  void run(std::size_t operation) override {
    if (operation == waits) begun_beside_it = seen.have_begun(1);
  }
  void copy(Slice, std::size_t) override {}
  void wait_for(Completion const&) override {}
  Completion completion() override { return {Clock::now()}; }
  void fence() override {}
  Seen& seen;
  std::size_t waits;
  bool begun_beside_it = false;
};

// Operator 1 completes a gradient. Its all-reduce must begin while operator 2 runs.
TEST(LaneThreads, AnAllReduceBeginsDuringTheNextOperatorOfAStep) {
  Workload workload;
  workload.pass.operations.resize(4);
  workload.pass.gradients.push_back({"a", "l", 2, 1});
  workload.pass.gradients.push_back({"b", "l", 3, 3});
  CompiledStep step = ddp_step(workload, {model::per_tensor_plan(std::vector<std::int64_t>{8, 12})});
  Seen seen;
  ThreadedLane lane(std::make_unique<Noting>(seen));
  Waiting compute(seen, 2);
  let_it_sleep();
  run_step(step, compute, lane);
  EXPECT_TRUE(compute.begun_beside_it);
  EXPECT_NE(seen.threads.front(), std::this_thread::get_id());
}

// The calibration of kappa and gamma starts its calls before it computes.
TEST(LaneThreads, AnAllReduceBeginsDuringTheFirstOperatorOfAContentionRun) {
  const Config config;
  RankContext context{config, *test_runtime, {}};
  Seen seen;
  auto compute = std::make_unique<Waiting>(seen, 0);
  auto& waiting = *compute;
  context.backward = std::move(compute);
  context.allreduce = std::make_unique<ThreadedLane>(std::make_unique<Noting>(seen));
  let_it_sleep();
  context.allreduce->begin(1);
  start(*context.allreduce, 0);
  Work work;
  work.operations = {0};
  run_work(context, work);
  EXPECT_TRUE(waiting.begun_beside_it);
  context.allreduce->wait_all();
}

}  // namespace
}  // namespace ddproxy
