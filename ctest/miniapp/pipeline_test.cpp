// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/pipeline.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/allreduce_polled.hpp"
#include "miniapp/collectives/drivers/allreduce_threaded.hpp"
#include "miniapp/collectives/engines/allreduce_mpi.hpp"
#include "miniapp/compute/copying_backward.hpp"
#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/verification/verify.hpp"

namespace ddproxy {
namespace {

int ranks() {
  return test_runtime->ranks();
}

Workload tiny() {
  Workload workload{model::backward_pass(model::find_preset("tiny")), {}, {}};
  for (auto const& gradient : workload.pass.gradients) workload.gradient_bytes.push_back(gradient.numel * 4);
  return workload;
}

// What an engine does, with one fault of one kind.
class Faulty : public MpiEngine {
 public:
  enum Fault { none, wrong_sum, skipped_bucket, reduced_twice };
  Faulty(float* arena, Fault fault)
      : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60), values_(arena), fault_(fault) {}
  void begin(Slice slice, Completion ready) override {
    ++calls_;
    skip_ = fault_ == skipped_bucket && calls_ == 2;
    if (!skip_) return MpiEngine::begin(slice, ready);
    skipped_ = {slice, Clock::now(), Clock::now(), ready.when};
  }
  bool test() override { return skip_ || MpiEngine::test(); }
  void wait(std::size_t bucket) override {
    if (skip_) return;
    MpiEngine::wait(bucket);
    if (calls_ != 2) return;
    const ReducedBucket first = MpiEngine::last();
    if (fault_ == wrong_sum) values_[first.slice.offset] += 1;
    if (fault_ != reduced_twice) return;
    MpiEngine::begin(first.slice, {first.ready});
    MpiEngine::wait(bucket);
  }
  ReducedBucket last() const override { return skip_ ? skipped_ : MpiEngine::last(); }

 private:
  float* values_;
  Fault fault_;
  int calls_ = 0;
  bool skip_ = false;
  ReducedBucket skipped_{};
};

// Of a network so fast that a reduction is over before its caller goes on: how early it began is seen in what
// it read, whatever else keeps the machine busy.
class AtOnce : public MpiEngine {
 public:
  explicit AtOnce(float* arena) : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60) {}
  void begin(Slice slice, Completion ready) override {
    MpiEngine::begin(slice, ready);
    while (!MpiEngine::test()) std::this_thread::yield();
  }
  bool test() override { return true; }
  void wait(std::size_t) override {}
};

// Reports that it began before it was asked to.
class Hasty : public MpiEngine {
 public:
  explicit Hasty(float* arena) : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60) {}
  ReducedBucket last() const override {
    ReducedBucket bucket = MpiEngine::last();
    bucket.start -= std::chrono::seconds(1);
    return bucket;
  }
};

struct Verification : testing::Test {
  Workload workload = tiny();
  kernels::Floats arena{"arena", static_cast<std::size_t>(workload.bytes()) / 4};
  model::Plan plan = model::bucketed_plan(workload.gradient_bytes, std::vector<std::int64_t>{65536});

  std::string verify(Schedule const& schedule, Workload const& truth, Faulty::Fault fault = Faulty::none) {
    ThreadedAllreduce allreduce(std::make_unique<Faulty>(arena.data(), fault));
    return verify_numbers(*test_runtime, truth, schedule, arena, allreduce);
  }
};

TEST_F(Verification, EveryStrategyAndPlanIsRight) {
  auto const& bytes = workload.gradient_bytes;
  for (auto const& plan_ : {plan, model::flat_plan(bytes), model::per_tensor_plan(bytes)})
    for (bool overlapped : {true, false})
      EXPECT_EQ(verify(Schedule(workload, plan_, overlapped), workload), "");
}

TEST_F(Verification, AWrongSumIsCaught) {
  EXPECT_NE(verify(Schedule(workload, plan, true), workload, Faulty::wrong_sum)
                .find("1 of 118528 elements are wrong"),
            std::string::npos);
}

TEST_F(Verification, ASkippedBucketIsCaught) {
  if (ranks() == 1) GTEST_SKIP() << "alone, what was not reduced is right";
  const auto complaint = verify(Schedule(workload, plan, true), workload, Faulty::skipped_bucket);
  EXPECT_NE(complaint.find("elements are wrong"), std::string::npos) << complaint;
}

// An average that is averaged again is the same average, and one rank's needs no reduction: numbers tell
// neither.
TEST_F(Verification, ABucketThatIsReducedTwiceIsCaughtByCounting) {
  const auto complaint = verify(Schedule(workload, plan, true), workload, Faulty::reduced_twice);
  EXPECT_NE(complaint.find("where the buckets hold 118528: one was reduced more than once"),
            std::string::npos)
      << complaint;
}

TEST_F(Verification, ASkippedBucketIsCaughtByCountingOnOneRankToo) {
  const auto complaint = verify(Schedule(workload, plan, true), workload, Faulty::skipped_bucket);
  EXPECT_NE(complaint.find(ranks() == 1 ? "one was reduced not at all" : "elements are wrong"),
            std::string::npos)
      << complaint;
}

TEST_F(Verification, AMissingBucketIsCaught) {
  model::Plan short_plan(plan.begin(), plan.end() - 1);
  EXPECT_NE(verify_step(workload, {short_plan}, 2), "");
  EXPECT_NE(verify(Schedule(workload, short_plan, true), workload), "");
}

// The schedule believes that each gradient is complete one operation earlier than it is.
TEST_F(Verification, ABucketThatStartsTooEarlyIsCaught) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer reports this race itself";
#endif
  Workload hasty = workload;
  for (auto& gradient : hasty.pass.gradients) gradient.operation -= gradient.operation > 0;
  EXPECT_NE(verify(Schedule(hasty, plan, true), workload), "");
}

TEST_F(Verification, AnEngineThatDoesNotWaitIsCaught) {
  ThreadedAllreduce allreduce(std::make_unique<Hasty>(arena.data()));
  EXPECT_NE(verify_numbers(*test_runtime, workload, Schedule(workload, plan, true), arena, allreduce)
                .find("bucket 0 did not wait for its gradient"),
            std::string::npos);
}

TEST_F(Verification, TooEarlyIsSeenInTheNumbersToo) {
  Workload hasty = workload;
  for (auto& gradient : hasty.pass.gradients) gradient.operation -= gradient.operation > 0;
  if (ranks() == 1) GTEST_SKIP() << "alone, the order changes no number";
  PolledAllreduce allreduce(std::make_unique<AtOnce>(arena.data()), true);
  EXPECT_EQ(verify_numbers(*test_runtime, workload, Schedule(workload, plan, true), arena, allreduce), "");
  const auto complaint =
      verify_numbers(*test_runtime, workload, Schedule(hasty, plan, true), arena, allreduce);
  EXPECT_NE(complaint.find("elements are wrong"), std::string::npos) << complaint;
}

// Walks the operations and notes what it was asked to do.
struct Listed : Backward {
  std::size_t operations() const override { return 4; }
  void run(std::size_t operation) override { log.push_back("op" + std::to_string(operation)); }
  Completion completion() override { return {Clock::now()}; }
  void fence() override { log.push_back("fence"); }
  bool takes_back() const override { return back; }
  void take_back(Slice slice, Completion) override { log.push_back("back" + std::to_string(slice.offset)); }
  std::vector<std::string> log;
  bool back = false;
};

struct Noted : Allreduce {
  explicit Noted(std::vector<std::string>& log_) : log(log_) {}
  void begin(std::size_t buckets) override { EXPECT_EQ(buckets, 2U); }
  void start(Slice slice, Completion) override { log.push_back("start" + std::to_string(slice.offset)); }
  void wait_all() override { log.push_back("wait"); }
  Completion wait_for(std::size_t bucket) override {
    log.push_back("wait" + std::to_string(bucket));
    return {};
  }
  std::vector<ReducedBucket> const& reduced() const override { return none; }
  std::int64_t elements_reduced() const override { return 0; }
  std::string description() const override { return ""; }
  std::vector<std::string>& log;
  std::vector<ReducedBucket> none;
};

// Two gradients of 2 and 3 elements, complete after the operations 1 and 3.
Workload two_gradients() {
  Workload workload;
  workload.pass.operations.resize(4);
  workload.pass.gradients = {{"a", "l", 2, 1}, {"b", "l", 3, 3}};
  workload.gradient_bytes = {8, 12};
  return workload;
}

TEST(Pipeline, StartsABucketRightAfterTheOperationThatClosesIt) {
  const auto workload = two_gradients();
  Listed backward;
  Noted allreduce(backward.log);
  run_pass(backward, allreduce, Schedule(workload, model::per_tensor_plan(workload.gradient_bytes), true));
  EXPECT_EQ(backward.log,
            (std::vector<std::string>{"op0", "op1", "start0", "op2", "op3", "start2", "fence", "wait"}));
}

TEST(Pipeline, WithoutOverlapAllBucketsFollowTheBackwardPass) {
  const auto workload = two_gradients();
  Listed backward;
  Noted allreduce(backward.log);
  run_pass(backward, allreduce, Schedule(workload, model::per_tensor_plan(workload.gradient_bytes), false));
  EXPECT_EQ(backward.log,
            (std::vector<std::string>{"op0", "op1", "op2", "op3", "fence", "start0", "start2", "wait"}));
}

TEST(Pipeline, CopiesEachBucketBackOnceItIsReduced) {
  const auto workload = two_gradients();
  Listed backward;
  backward.back = true;
  Noted allreduce(backward.log);
  run_pass(backward, allreduce, Schedule(workload, model::per_tensor_plan(workload.gradient_bytes), true));
  const std::vector<std::string> end(backward.log.end() - 7, backward.log.end());
  EXPECT_EQ(end, (std::vector<std::string>{"fence", "wait0", "back0", "wait1", "back2", "wait", "fence"}));
}

// What arrives in the gradients after copies in and out is the average over all ranks.
TEST_F(Verification, CopiesInAndOutAreRight) {
  const kernels::Floats gradients("gradients", arena.extent(0));
  for (bool back : {false, true}) {
    poison(arena);
    poison(gradients);
    VerificationBackward pattern(workload.pass, gradients, test_runtime->rank());
    CopyingBackward backward(pattern, workload.pass, gradients, arena, back);

    ThreadedAllreduce allreduce(std::make_unique<MpiEngine>(MPI_COMM_WORLD, arena.data(), 10000, 60));
    test_runtime->barrier();
    EXPECT_EQ(verify_order(workload, Schedule(workload, plan, true), backward, allreduce), "");
    EXPECT_EQ(find_wrong(arena, 0, arena.extent(0), ranks()).count, 0);
    const auto unreduced = static_cast<std::int64_t>(back || ranks() == 1 ? 0 : arena.extent(0));
    EXPECT_EQ(find_wrong(gradients, 0, arena.extent(0), ranks()).count, unreduced);
  }
}

}  // namespace
}  // namespace ddproxy
