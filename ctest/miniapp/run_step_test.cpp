// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/run_step.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "ctest/miniapp/ddp_steps.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/drivers/polled_lane.hpp"
#include "miniapp/collectives/drivers/threaded_lane.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/compute/verification_pattern.hpp"
#include "miniapp/input/cases.hpp"
#include "miniapp/machine/runtime.hpp"
#include "miniapp/measure/pass/step_traces.hpp"
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

// An MPI engine with one planted fault.
class Faulty : public MpiEngine {
 public:
  enum Fault { none, wrong_sum, skipped_bucket, reduced_twice };
  Faulty(float* arena, Fault fault)
      : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60), values_(arena), fault_(fault) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    ++calls_;
    skip_ = fault_ == skipped_bucket && calls_ == 2;
    if (!skip_) return MpiEngine::begin(call, ready);
    skipped_ = {call, Clock::now(), Clock::now(), ready.when};
  }
  bool test() override { return skip_ || MpiEngine::test(); }
  void wait(std::size_t bucket, CoreIsFree const& core_is_free) override {
    if (skip_) return;
    MpiEngine::wait(bucket, core_is_free);
    if (calls_ != 2) return;
    const FinishedCall first = MpiEngine::last();
    if (fault_ == wrong_sum) values_[first.call.assigned.offset] += 1;
    if (fault_ != reduced_twice) return;
    MpiEngine::begin(first.call, {first.ready});
    MpiEngine::wait(bucket, core_is_free);
  }
  FinishedCall last() const override { return skip_ ? skipped_ : MpiEngine::last(); }

 private:
  float* values_;
  Fault fault_;
  int calls_ = 0;
  bool skip_ = false;
  FinishedCall skipped_{};
};

// An engine like a network that is so fast that a reduction has completed before the caller continues. A
// reduction that starts too early then reads wrong numbers, even on a busy machine.
class AtOnce : public MpiEngine {
 public:
  explicit AtOnce(float* arena) : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60) {}
  void begin(CollectiveCall const& call, Completion ready) override {
    MpiEngine::begin(call, ready);
    while (!MpiEngine::test()) std::this_thread::yield();
  }
  bool test() override { return true; }
  void wait(std::size_t, CoreIsFree const&) override {}
};

// Reports a start time before the call was started.
class Hasty : public MpiEngine {
 public:
  explicit Hasty(float* arena) : MpiEngine(MPI_COMM_WORLD, arena, 1 << 20, 60) {}
  FinishedCall last() const override {
    FinishedCall bucket = MpiEngine::last();
    bucket.start -= std::chrono::seconds(1);
    return bucket;
  }
};

struct Verification : testing::Test {
  Workload workload = tiny();
  kernels::Floats arena{"arena", static_cast<std::size_t>(workload.bytes()) / 4};
  model::Plan plan = model::bucketed_plan(workload.gradient_bytes, std::vector<std::int64_t>{65536});

  std::string verify(CompiledStep step, Workload const& truth, CommunicationLane& allreduce) {
    return verify_numbers(*test_runtime, truth, step,
                          {kernels::elements_of(arena), test_places(step.graph()), 0}, allreduce);
  }
  std::string verify(CompiledStep step, Workload const& truth, Faulty::Fault fault = Faulty::none) {
    ThreadedLane allreduce(std::make_unique<Faulty>(arena.data(), fault));
    return verify(std::move(step), truth, allreduce);
  }
};

TEST_F(Verification, EveryStrategyAndPlanIsRight) {
  auto const& bytes = workload.gradient_bytes;
  for (auto const& plan_ : {plan, model::flat_plan(bytes), model::per_tensor_plan(bytes)})
    for (bool overlapped : {true, false})
      EXPECT_EQ(verify(ddp_step(workload, {plan_, overlapped}), workload), "");
}

TEST_F(Verification, AWrongSumIsCaught) {
  EXPECT_NE(
      verify(ddp_step(workload, {plan}), workload, Faulty::wrong_sum).find("1 of 118528 elements are wrong"),
      std::string::npos);
}

TEST_F(Verification, ASkippedBucketIsCaught) {
  if (ranks() == 1) GTEST_SKIP() << "one rank needs no reduction";
  const auto complaint = verify(ddp_step(workload, {plan}), workload, Faulty::skipped_bucket);
  EXPECT_NE(complaint.find("elements are wrong"), std::string::npos) << complaint;
}

// The values cannot show this fault: an average that is averaged again stays the same, and a single rank
// needs no reduction.
TEST_F(Verification, ABucketThatIsReducedTwiceIsCaughtByCounting) {
  const auto complaint = verify(ddp_step(workload, {plan}), workload, Faulty::reduced_twice);
  EXPECT_NE(complaint.find("but the buckets hold 118528: an element was reduced more than once"),
            std::string::npos)
      << complaint;
}

TEST_F(Verification, ASkippedBucketIsCaughtByCountingOnOneRankToo) {
  const auto complaint = verify(ddp_step(workload, {plan}), workload, Faulty::skipped_bucket);
  EXPECT_NE(complaint.find(ranks() == 1 ? "an element was reduced not at all" : "elements are wrong"),
            std::string::npos)
      << complaint;
}

TEST_F(Verification, AMissingBucketIsCaught) {
  model::Plan short_plan(plan.begin(), plan.end() - 1);
  EXPECT_NE(verify_graphs(model::ddp(workload.pass, {short_plan}, 2)), "");
  EXPECT_NE(verify(ddp_step(workload, {short_plan}), workload), "");
}

// A sweep has one communication lane, for all-reduces. It places buffers, counts elements and predicts times
// only for all-reduces.
TEST_F(Verification, AStepThatASweepCannotRunIsRefused) {
  const auto message = [&](std::function<void(model::Task&)> const& change) {
    auto graphs = model::ddp(workload.pass, {plan}, 2);
    for (auto& task : graphs.classes[0].graph.tasks)
      if (std::holds_alternative<model::Collective>(task.work)) change(task);
    return verify_graphs(graphs);
  };
  EXPECT_EQ(message([](model::Task&) {}), "");
  for (auto const& found : {
           message([](auto& task) { std::get<model::Collective>(task.work).verb = model::Verb::broadcast; }),
           message([](auto& task) { task.lane.number = 1; }),
           message([](auto& task) {
             task.work = model::Compute{{}, model::Phase::update};
           }),
       })
    EXPECT_TRUE(found.starts_with("a strategy of a sweep can only")) << found;
  auto two = model::ddp(workload.pass, {plan}, 2);
  two.classes[0].graph.buffers.push_back(two.classes[0].graph.buffers[0]);
  EXPECT_TRUE(verify_graphs(two).ends_with("says how to add other steps")) << verify_graphs(two);
}

// In this step each gradient is declared complete one operation too early.
TEST_F(Verification, ABucketThatStartsTooEarlyIsCaught) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer reports this race itself";
#endif
  const Workload hasty = one_operation_early(workload);
  EXPECT_NE(verify(ddp_step(hasty, {plan}), workload), "");
}

TEST_F(Verification, AnEngineThatReportsATooEarlyStartIsCaught) {
  ThreadedLane allreduce(std::make_unique<Hasty>(arena.data()));
  EXPECT_NE(verify(ddp_step(workload, {plan}), workload, allreduce)
                .find("the reduction of bucket 0 started before its gradient"),
            std::string::npos);
}

TEST_F(Verification, ATooEarlyReductionGivesWrongNumbers) {
  const Workload hasty = one_operation_early(workload);
  if (ranks() == 1) GTEST_SKIP() << "one rank needs no reduction";
  PolledLane allreduce(std::make_unique<AtOnce>(arena.data()), true);
  EXPECT_EQ(verify(ddp_step(workload, {plan}), workload, allreduce), "");
  const auto complaint = verify(ddp_step(hasty, {plan}), workload, allreduce);
  EXPECT_NE(complaint.find("elements are wrong"), std::string::npos) << complaint;
}

TEST_F(Verification, ReduceScatterAndAllGatherGiveTheResultOfAnAllReduce) {
  const auto n = static_cast<std::size_t>(ranks());
  const std::size_t elements = arena.extent(0) / (4 * n) * 4 * n;
  const GroupPlace place{test_runtime->rank(), ranks()};
  auto graph = model::ddp(workload.pass, {}, n).classes.front().graph;
  const model::CommunicatorId world{0};
  const auto access = [&](model::AccessMode mode, bool own) {
    return model::Access{.buffer = model::BufferId{0},
                         .slice = {0, elements},
                         .mode = mode,
                         .content = model::Content::gradient,
                         .part = own ? std::optional(world) : std::nullopt};
  };
  const model::Lane lane{model::LaneKind::communication, 0};
  graph.tasks.push_back({model::Collective{model::Verb::reduce_scatter, world},
                         {access(model::AccessMode::read, false), access(model::AccessMode::assign, true)},
                         lane,
                         {model::TaskId{graph.tasks.size() - 1}}});
  graph.tasks.push_back({model::Collective{model::Verb::all_gather, world},
                         {access(model::AccessMode::read, true), access(model::AccessMode::assign, false)},
                         lane,
                         {}});
  CompiledStep step(graph, test_places(graph), {place});
  ThreadedLane lanes(std::make_unique<MpiEngine>(MPI_COMM_WORLD, arena.data(), 10000, 60));
  VerificationLane compute(workload.pass, arena, 0, test_runtime->rank());
  test_runtime->barrier();
  const auto times = run_step(step, compute, lanes);
  EXPECT_EQ(find_wrong(arena, {0, elements}, ranks()).count, 0);
  const auto trace = trace_of(times, step, lanes.finished());
  EXPECT_GE(trace.tasks.back().start, trace.tasks[trace.tasks.size() - 2].end - 1e-9);
  EXPECT_EQ(lanes.elements_handed_over()[model::Verb::all_gather], static_cast<std::int64_t>(elements));
}

// Copies in and out leave averages in the gradients. Copies in alone leave the gradients as they were.
TEST_F(Verification, CopiesInAndOutAreRight) {
  const std::size_t elements = arena.extent(0);
  const kernels::Floats memory("buckets and gradients", 2 * elements);
  for (const auto copies : {model::CopyMode::in, model::CopyMode::in_out}) {
    ThreadedLane allreduce(std::make_unique<MpiEngine>(MPI_COMM_WORLD, memory.data(), 10000, 60));
    CompiledStep step = ddp_step(workload, {plan, true, copies}, elements);
    EXPECT_EQ(verify_numbers(*test_runtime, workload, step,
                             {kernels::elements_of(memory), test_places(step.graph(), elements), elements},
                             allreduce),
              "");
    const bool back = copies == model::CopyMode::in_out;
    const auto unreduced = static_cast<std::int64_t>(back || ranks() == 1 ? 0 : elements);
    const auto gradients = Kokkos::subview(memory, std::pair{elements, 2 * elements});
    EXPECT_EQ(find_wrong(gradients, {0, elements}, ranks()).count, unreduced);
  }
}

// If a copy is missing, the bucket still contains the NaN of poison().
TEST_F(Verification, AMissingCopyIsCaught) {
  const std::size_t elements = arena.extent(0);
  const kernels::Floats memory("buckets and gradients", 2 * elements);
  auto graph = model::ddp(workload.pass, {plan, true, model::CopyMode::in}, 2).classes.front().graph;
  for (auto& task : graph.tasks)
    if (std::holds_alternative<model::Copy>(task.work)) task.accesses[0].slice.count = 0;
  CompiledStep step(graph, test_places(graph, elements));
  ThreadedLane allreduce(std::make_unique<MpiEngine>(MPI_COMM_WORLD, memory.data(), 10000, 60));
  const auto complaint = verify_numbers(
      *test_runtime, workload, step,
      {kernels::elements_of(memory), test_places(step.graph(), elements), elements}, allreduce);
  EXPECT_NE(complaint.find("elements are wrong"), std::string::npos) << complaint;
}

}  // namespace
}  // namespace ddproxy
