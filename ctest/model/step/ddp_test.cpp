// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/ddp.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ctest/model/step/violations.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/step/check/check.hpp"

namespace ddproxy::model {
namespace {

std::vector<std::int64_t> bytes_of(BackwardPass const& pass) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(gradient.numel * 4);
  return bytes;
}

TEST(Ddp, IsRightForEveryPlanCopyModeAndModel) {
  const Shape tiny = find_preset("tiny");
  Shape untied = tiny;
  untied.tied = false;
  Shape llama = untied;
  llama.biases = false;
  llama.norm = Norm::rmsnorm;
  llama.positions = Positions::none;
  llama.qkv = Qkv::separate;
  llama.activation = Activation::swiglu;
  std::mt19937 random(1);
  for (Shape const& shape : {tiny, untied, llama}) {
    const BackwardPass pass = backward_pass(shape);
    const auto bytes = bytes_of(pass);
    for (int i = 0; i < 20; ++i) {
      const std::int64_t cap = std::uniform_int_distribution<std::int64_t>(1, 400000)(random);
      for (Plan const& plan : {bucketed_plan(bytes, {&cap, 1}), flat_plan(bytes), per_tensor_plan(bytes)}) {
        for (const CopyMode copies : {CopyMode::none, CopyMode::in, CopyMode::in_out}) {
          for (const bool overlapped : {true, false}) {
            const auto step = ddp(pass, {plan, overlapped, copies}, 3);
            ASSERT_EQ(text(check(step)), "") << "cap " << cap << ", overlapped " << overlapped;
            ASSERT_EQ(wire_volume(step, 0).at(Verb::all_reduce).bytes, parameters(pass) * 4);
            ASSERT_EQ(wire_volume(step, 0).at(Verb::all_reduce).calls, plan.size());
          }
        }
      }
    }
  }
}

TEST(Ddp, TiedEmbeddingNeedsTheContributionsOfBothOperators) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  const auto step = ddp(pass, {flat_plan(bytes_of(pass))}, 2);
  EXPECT_EQ(step.classes[0].graph.expected.gradients.back().operators.size(), 2U);
  // The last operator assigns its gradient instead of adding it, so the contribution of the head is lost.
  auto wrong = step;
  for (Task& task : wrong.classes[0].graph.tasks) {
    for (Access& access : task.accesses) {
      if (access.mode == AccessMode::contribute) access.mode = AccessMode::assign;
    }
  }
  EXPECT_NE(text(check(wrong)), "");
}

TEST(Ddp, EveryAllReduceWaitsForTheEndOfThePassWithoutOverlap) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  const auto step = ddp(pass, {per_tensor_plan(bytes_of(pass)), false}, 2);
  const TaskId waited{pass.operations.size()};  // the HostWait after the last operator
  ASSERT_TRUE(std::holds_alternative<HostWait>(step.classes[0].graph.tasks[index(waited)].work));
  for (Task const& task : step.classes[0].graph.tasks) {
    if (!std::holds_alternative<Collective>(task.work)) continue;
    EXPECT_EQ(task.after, std::vector{waited});
  }
}

TEST(Ddp, FindsAPlanThatLeavesOutAGradient) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  Plan plan = per_tensor_plan(bytes_of(pass));
  plan.pop_back();
  EXPECT_NE(text(check(ddp(pass, {plan}, 2))), "");
}

TEST(Ddp, FindsAPlanWithAGradientInTwoBuckets) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  Plan plan = per_tensor_plan(bytes_of(pass));
  plan[3] = {2, 3, plan[2].bytes + plan[3].bytes, plan[2].offset_bytes};
  EXPECT_NE(text(check(ddp(pass, {plan}, 2))), "");
}

}  // namespace
}  // namespace ddproxy::model
