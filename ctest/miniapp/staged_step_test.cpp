// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ctest/miniapp/sharded_run.hpp"
#include "model/step/describe.hpp"

// Runs whole steps whose collectives go through host memory, as on a device. The copies between host memory
// and the memory of the step are late, so a task that does not wait for the host reads old numbers.
namespace ddproxy {
namespace {

using model::Content;

struct Named {
  std::string name;
  StepCase step;
};

/// Returns steps with AdamW. In each of them some compute tasks wait for collectives. Such tasks are norms,
/// updates, the operators of a micro-batch after an all-reduce, and operators that use gathered units.
std::vector<Named> cases() {
  const model::Shape shape = small_llama();
  StepCase step{.shape = shape, .tokens = {2, 13}};
  step.strategy.ddp.plan = plan_of(shape);
  step.strategy.optimizer = model::Optimizer::adamw;
  std::vector<Named> all;
  const auto add = [&](std::string name, auto change) {
    all.push_back({std::move(name), step});
    change(all.back().step);
  };
  add("update", [](StepCase&) {});
  add("norm", [](StepCase& c) {
    c.strategy.clipped = true;
    c.clip = 0.1;
  });
  add("micro-batches", [](StepCase& c) {
    c.strategy.micro_batches = 2;
    c.strategy.sync = model::Sync::each;
  });
  add("buckets in memory of their own", [](StepCase& c) { c.strategy.ddp.copies = model::CopyMode::in_out; });
  add("zero1", [](StepCase& c) { c.strategy.sharding.stage = model::ShardStage::zero1; });
  add("fsdp", [](StepCase& c) { c.strategy.sharding.stage = model::ShardStage::fsdp; });
  add("zero2, micro-batches", [](StepCase& c) {
    c.strategy.sharding.stage = model::ShardStage::zero2;
    c.strategy.micro_batches = 2;
  });
  add("fsdp, micro-batches", [](StepCase& c) {
    c.strategy.sharding.stage = model::ShardStage::fsdp;
    c.strategy.micro_batches = 2;
  });
  add("fsdp, two lanes", [](StepCase& c) {
    c.strategy.sharding.stage = model::ShardStage::fsdp;
    c.strategy.sharding.lanes = 2;
  });
  return all;
}

std::vector<float> parameters_after_two_steps(ShardedRun& run) {
  for (int step = 0; step < 2; ++step) run.run();
  return run.model_values(Content::parameter);
}

TEST(StagedStep, GivesTheBitsOfAStepWithoutStaging) {
  for (auto const& [name, step] : cases()) {
    ShardedRun direct(step);
    const auto expected = parameters_after_two_steps(direct);
    for (const bool thread : {true, false}) {
      ShardedRun staged(step, {.thread = thread, .staged = true});
      EXPECT_EQ(different(parameters_after_two_steps(staged), expected), 0U) << name << ", thread " << thread;
      EXPECT_EQ(staged.mean_loss(), direct.mean_loss()) << name;
    }
  }
}

// A graph for a device has tasks HostWait. The host must wait for collectives in these tasks and
// nowhere else.
TEST(StagedStep, AHostWaitEndsAfterItsCollectives) {
  for (auto const& [name, step] : cases()) {
    SCOPED_TRACE(name);
    ShardedRun direct(step), staged(step, {.staged = true, .host_waits = true});
    EXPECT_EQ(different(parameters_after_two_steps(staged), parameters_after_two_steps(direct)), 0U);
    std::size_t waits = 0;
    auto const& tasks = staged.step().graph().tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const bool is_wait = std::holds_alternative<model::HostWait>(tasks[t].work);
      waits += is_wait ? 1 : 0;
      for (const auto before : tasks[t].after) {
        const bool is_collective = !model::collectives_of(tasks[index(before)]).empty();
        EXPECT_TRUE(tasks[t].lane.kind != model::LaneKind::compute || is_wait == is_collective) << t;
        EXPECT_LE(staged.trace.tasks[index(before)].end, staged.trace.tasks[t].start + 1e-9) << t;
      }
    }
    EXPECT_GT(waits, 0U);
  }
}

// The compute lane must not go on before the host has handed back the result of a collective.
TEST(StagedStepPlanted, AComputeLaneThatDoesNotWaitForTheHostIsCaught) {
  for (auto const& [name, step] : cases()) {
    ShardedRun direct(step), hasty(step, {.thread = false, .staged = true});
    for (std::size_t lane = 0; lane < hasty.step().lanes().size(); ++lane) hasty.do_not_wait(lane);
    const auto expected = parameters_after_two_steps(direct);
    EXPECT_GT(different(parameters_after_two_steps(hasty), expected), 0U) << name;
  }
}

}  // namespace
}  // namespace ddproxy
