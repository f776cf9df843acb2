// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ctest/miniapp/differences.hpp"
#include "ctest/miniapp/sharded_cases.hpp"
#include "ctest/miniapp/sharded_run.hpp"

// Compares the updates of sharded steps with those of data parallelism without sharding: bit for bit if both
// add the gradients in the same order, and else by the rule of UpdateComparison.
namespace ddproxy {
namespace {

using model::Content;
using model::Verb;

constexpr int steps = 3;

// ---- the same bits

/// Runs three steps of both runs. After each of them all parameters must be equal bit for bit.
void expect_the_same_bits(ShardedRun& whole, ShardedRun& sharded) {
  for (int step = 0; step < steps; ++step) {
    whole.run();
    sharded.run();
    EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
    EXPECT_EQ(different(sharded.model_values(Content::parameter), whole.model_values(Content::parameter)),
              0U);
  }
}

// A sum of two numbers has one order only.
TEST(ShardedUpdate, HasTheBitsOfUnshardedAdamWOnTwoRanks) {
  if (ranks() != 2) GTEST_SKIP() << "for two ranks";
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      ShardedRun whole(updated(case_of(shape, {})));
      ShardedRun sharded(updated(case_of(shape, sharding)));
      expect_the_same_bits(whole, sharded);
    }
}

// An MPI library may choose the order of a sum by the size of the message. Without padding both runs send the
// same messages, so they add in the same order.
TEST(ShardedUpdate, HasTheBitsOfUnshardedAdamWWithTheSameAllReduces) {
  for (auto const& shape : shapes_without_padding())
    for (const Verb update : {Verb::all_gather, Verb::broadcast}) {
      ShardedRun whole(updated(case_of(shape, {})));
      ShardedRun sharded(updated(
          case_of(shape, {.stage = model::ShardStage::zero1, .reduce = Verb::all_reduce, .update = update})));
      expect_the_same_bits(whole, sharded);
      EXPECT_GT(whole.counted[Verb::all_reduce].calls, 1U);
      EXPECT_EQ(sharded.counted[Verb::all_reduce], whole.counted[Verb::all_reduce]);
    }
}

// ---- sums in another order

/// The elements of the biases of the keys. Their gradients are mathematically zero.
std::size_t key_biases(model::Shape const& shape) {
  return shape.biases ? static_cast<std::size_t>(shape.layers * shape.key_features()) : 0;
}

/// Runs three steps with and without sharding and compares the updates. `whole` is the unsharded step.
UpdateComparison compared_updates(StepCase const& whole_case, StepCase const& sharded_case) {
  StepRun whole(whole_case);
  ShardedRun sharded(sharded_case);
  const auto parameters = [&] {
    return std::vector<float>(whole.parameters().begin(), whole.parameters().end());
  };
  EXPECT_EQ(different(sharded.model_values(Content::parameter), whole.parameters()), 0U);
  UpdateComparison found(whole.layout(), whole_case.optimizer.learning_rate, parameters());
  for (int step = 0; step < steps; ++step) {
    whole.run();
    sharded.run();
    EXPECT_NEAR(sharded.mean_loss() / whole.mean_loss(), 1, 1e-6);
    if (whole_case.clip) {
      EXPECT_NEAR(static_cast<double>(sharded.norm()) / static_cast<double>(whole.lane->norm()), 1, 1e-6);
    }
    found.add(whole.gradients(), sharded.model_values(Content::parameter), parameters());
  }
  return found;
}

void expect_close_updates(StepCase const& whole, StepCase const& sharded) {
  const auto found = compared_updates(whole, sharded);
  const std::size_t elements = model::TensorLayout(model::backward_pass(whole.shape)).elements();
  std::printf("  worst %.3g lr, compared %zu, left out %zu of %zu\n", found.worst(), found.compared(),
              found.left_out(), elements);
  EXPECT_LT(found.worst(), 1e-3);
  EXPECT_LE(found.left_out(), key_biases(whole.shape) + elements / 1000);
  EXPECT_GE(found.compared(), steps * (elements - found.left_out()));
}

TEST(ShardedUpdate, IsThatOfUnshardedAdamWByTheRule) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      expect_close_updates(updated(case_of(shape, {})), updated(case_of(shape, sharding)));
    }
}

// The gradients are clipped to a small part of their norm.
TEST(ShardedUpdate, ClipsByTheNormOfAllGradients) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      expect_close_updates(updated(case_of(shape, {}), 1e-3), updated(case_of(shape, sharding), 1e-3));
    }
}

// ---- planted faults

TEST(ShardedUpdatePlanted, AnotherLearningRateIsCaught) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      StepCase changed = updated(case_of(shape, sharding));
      changed.optimizer.learning_rate *= 1.01;
      const auto found = compared_updates(updated(case_of(shape, {})), changed);
      EXPECT_GT(found.worst(), 5e-3);
    }
}

// Rank 0 updates the first shard, so the others keep the parameters that they had.
TEST(ShardedUpdatePlanted, AMissingGatherOfUpdatedParametersIsCaught) {
  const auto c = updated(case_of(small_llama(), {.stage = model::ShardStage::zero1}));
  const auto gathers = ShardedRun(c).step().collectives(0).size();
  ASSERT_GT(gathers, 2U);
  ShardedRun whole(c), sharded(c);
  sharded.leave_out(0, gathers - 1);
  whole.run();
  sharded.run();
  EXPECT_GT(different(sharded.model_values(Content::parameter), whole.model_values(Content::parameter)), 0U);
}

}  // namespace
}  // namespace ddproxy
