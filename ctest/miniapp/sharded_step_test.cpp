// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ctest/miniapp/differences.hpp"
#include "ctest/miniapp/sharded_cases.hpp"
#include "ctest/miniapp/sharded_run.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/step/check/check.hpp"

// Compares the gradients and the loss of sharded steps on the kernels with those of data parallelism without
// sharding; sharded_update_test.cpp compares the updates. Parameters that a step releases are filled with
// NaN. Also counts the bytes that the steps hand to their engines.
namespace ddproxy {
namespace {

using model::Content;
using model::Sharding;
using model::ShardStage;
using model::Verb;

TEST(ShardedStep, GraphsHaveNoViolations) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      const auto violations = model::check(graphs_of(updated(case_of(shape, sharding), 1.0)));
      EXPECT_TRUE(violations.empty()) << name << ": " << violations.front().what;
    }
}

TEST(ShardedStep, HasTheGradientsAndTheLossOfDataParallelism) {
  for (auto const& shape : shapes()) {
    ShardedRun whole(case_of(shape, {}));
    whole.run();
    const auto expected = whole.model_values(Content::gradient);
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      ShardedRun sharded(case_of(shape, sharding));
      for (int again = 0; again < 2; ++again) {
        sharded.run();
        const auto gradients = sharded.model_values(Content::gradient);
        if (ranks() == 2)
          EXPECT_EQ(different(gradients, expected), 0U);
        else
          EXPECT_LT(largest_difference(whole.layout(), gradients, expected), 1e-6);
        EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
      }
    }
  }
}

TEST(ShardedStep, AccumulatesMicroBatchesAndRecomputes) {
  for (auto const& shape : shapes())
    for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer}) {
      const model::Strategy strategy{.micro_batches = 3, .checkpoint = checkpoint};
      ShardedRun whole(case_of(shape, {}, strategy));
      whole.run();
      const auto expected = whole.model_values(Content::gradient);
      for (auto const& [name, sharding] : shardings()) {
        SCOPED_TRACE(name);
        ShardedRun sharded(case_of(shape, sharding, strategy));
        sharded.run();
        EXPECT_LT(largest_difference(whole.layout(), sharded.model_values(Content::gradient), expected),
                  1e-6);
        EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
      }
    }
}

// Gradients are rounded to bf16. Gathered parameters and the norm are not rounded.
TEST(ShardedStep, OnlyGradientsAreRoundedOnTheWire) {
  const auto shape = small_llama();
  const auto rounded = [&](Sharding const& sharding, std::optional<double> clip) {
    StepCase c = updated(case_of(shape, sharding), clip);
    c.strategy.ddp.wire = model::DataType::bf16;
    return c;
  };
  const ShardedDrive drive{.wire = WireFormat::bf16};
  ShardedRun whole(rounded({}, std::nullopt), drive), clipped(rounded({}, 1e-3), drive);
  whole.run();
  clipped.run();
  for (auto const& [name, sharding] : shardings()) {
    SCOPED_TRACE(name);
    ShardedRun sharded(rounded(sharding, std::nullopt), drive), norm(rounded(sharding, 1e-3), drive);
    sharded.run();
    norm.run();
    if (ranks() == 2) {
      EXPECT_EQ(different(sharded.model_values(Content::parameter), whole.model_values(Content::parameter)),
                0U);
    }
    EXPECT_NEAR(norm.norm() / clipped.norm(), 1, ranks() == 2 ? 1e-6 : 1e-2);
  }
}

TEST(ShardedStep, PolledAndThreadedLanesGiveTheSameBits) {
  const auto shape = small_llama();
  for (auto const& [name, sharding] : shardings()) {
    SCOPED_TRACE(name);
    ShardedRun driven(updated(case_of(shape, sharding), 0.1)),
        polled(updated(case_of(shape, sharding), 0.1), {.thread = false});
    for (auto* run : {&driven, &polled})
      for (int step = 0; step < 2; ++step) run->run();
    EXPECT_EQ(different(driven.model_values(Content::parameter), polled.model_values(Content::parameter)),
              0U);
  }
}

TEST(ShardedStep, HandsOverTheBytesOfItsGraph) {
  for (auto const& shape : shapes())
    for (const int micro_batches : {1, 2})
      for (auto const& [name, sharding] : shardings()) {
        SCOPED_TRACE(name);
        ShardedRun sharded(updated(case_of(shape, sharding, {.micro_batches = micro_batches}), 1.0));
        sharded.run();
        CountedByVerb due;
        for (auto const& [verb, one] : model::wire_volume(sharded.graphs(), sharded.rank_class()))
          due[verb] = {one.calls, one.bytes};
        EXPECT_EQ(sharded.counted, due);
      }
}

// ---- planted faults

/// Returns the indices of the all-gathers among the calls of a lane.
std::vector<std::size_t> gathers_of(CompiledStep const& step, std::size_t lane) {
  std::vector<std::size_t> gathers;
  auto const& calls = step.collectives(lane);
  for (std::size_t call = 0; call < calls.size(); ++call)
    if (calls[call].verb == Verb::all_gather) gathers.push_back(call);
  return gathers;
}

TEST(ShardedStepPlanted, AMissingGatherIsCaught) {
  const auto shape = small_llama();
  const auto c = case_of(shape, {.stage = ShardStage::fsdp});
  const auto gathers = gathers_of(ShardedRun(c).step(), 0);
  ASSERT_GT(gathers.size(), 2U);
  for (const std::size_t missing : gathers) {
    ShardedRun sharded(c);
    sharded.run();
    EXPECT_GT(sharded.poisoned(), 0U);
    EXPECT_TRUE(std::isfinite(sharded.mean_loss()));
    sharded.leave_out(0, missing);
    sharded.run();
    const auto gradients = sharded.model_values(Content::gradient);
    EXPECT_TRUE(std::ranges::any_of(gradients, [](float each) { return std::isnan(each); })) << missing;
  }
}

}  // namespace
}  // namespace ddproxy
