// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ctest/miniapp/sharded_run.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/step/check/check.hpp"

// Compares sharded steps on the kernels with the step of data parallelism without sharding: gradients,
// updated parameters, the norm and the loss. Memory that a step releases holds NaN. Counts the bytes that the
// steps hand to their engines.
namespace ddproxy {
namespace {

using model::Content;
using model::Sharding;
using model::ShardStage;
using model::Verb;

int ranks() {
  return test_runtime->ranks();
}

std::vector<model::Shape> shapes() {
  return {model::find_preset("tiny"), small_llama()};
}

StepCase case_of(model::Shape const& shape, Sharding const& sharding, model::WholeStep strategy = {}) {
  strategy.ddp.plan = plan_of(shape);
  strategy.sharding = sharding;
  return {.shape = shape, .tokens = {2, 13}, .strategy = strategy};
}

StepCase updated(StepCase c, std::optional<double> clip = std::nullopt) {
  c.strategy.optimizer = model::Optimizer::adamw;
  c.strategy.clipped = clip.has_value();
  c.clip = clip;
  return c;
}

struct Named {
  std::string name;
  Sharding sharding;
};

/// Returns every kind of sharding.
std::vector<Named> shardings() {
  const Sharding zero1{.stage = ShardStage::zero1}, zero2{.stage = ShardStage::zero2},
      fsdp{.stage = ShardStage::fsdp};
  std::vector<Named> all{{"zero1", zero1}, {"zero2", zero2}, {"fsdp", fsdp}};
  const auto add = [&](std::string name, Sharding sharding, auto change) {
    change(sharding);
    all.push_back({std::move(name), sharding});
  };
  add("zero1 all_reduce", zero1, [](Sharding& s) { s.reduce = Verb::all_reduce; });
  add("zero1 broadcast", zero1, [](Sharding& s) { s.update = Verb::broadcast; });
  add("zero1 two lanes", zero1, [](Sharding& s) { s.lanes = 2; });
  add("fsdp two lanes", fsdp, [](Sharding& s) { s.lanes = 2; });
  add("fsdp no prefetch", fsdp, [](Sharding& s) { s.prefetch = 0; });
  add("fsdp prefetch 2", fsdp, [](Sharding& s) { s.prefetch = 2; });
  add("fsdp keeps units", fsdp, [](Sharding& s) { s.reshard_after_forward = false; });
  add("fsdp whole", fsdp, [](Sharding& s) { s.unit = model::ShardUnit::whole; });
  if (ranks() == 4) add("hsdp", fsdp, [](Sharding& s) { s.group = 2; });
  return all;
}

double largest_difference(std::vector<float> const& a, std::vector<float> const& b) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::isnan(difference) ? 1e30 : std::max(largest, difference);
  }
  return a.size() == b.size() ? largest / scale : 1e30;
}

TEST(ShardedStep, GraphsAreRight) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      const auto violations = model::check(graphs_of(updated(case_of(shape, sharding), 1.0)));
      EXPECT_TRUE(violations.empty()) << name << ": " << violations.front().what;
    }
}

TEST(ShardedStep, GradientShardsAreTheSlicesOfDataParallelism) {
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
          EXPECT_LT(largest_difference(gradients, expected), 1e-6);
        EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
      }
    }
  }
}

TEST(ShardedStep, AccumulatesMicroBatchesAndRecomputes) {
  for (auto const& shape : shapes())
    for (const auto checkpoint : {model::Checkpoint::none, model::Checkpoint::layer}) {
      const model::WholeStep strategy{.micro_batches = 3, .checkpoint = checkpoint};
      ShardedRun whole(case_of(shape, {}, strategy));
      whole.run();
      const auto expected = whole.model_values(Content::gradient);
      for (auto const& [name, sharding] : shardings()) {
        SCOPED_TRACE(name);
        ShardedRun sharded(case_of(shape, sharding, strategy));
        sharded.run();
        EXPECT_LT(largest_difference(sharded.model_values(Content::gradient), expected), 1e-6);
        EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
      }
    }
}

// Runs three steps of both runs. After each of them the parameters must be equal bit for bit, as long as the
// averaged gradients are. With two ranks they always are, since each sum has one addition. With more ranks
// MPI may add the values of a padded message in another order (Open MPI 6 does); then the gradients are equal
// to 1e-6, and the comparison of the parameters ends.
void expect_equal_updates(ShardedRun& whole, ShardedRun& sharded) {
  for (int step = 0; step < 3; ++step) {
    whole.run();
    sharded.run();
    EXPECT_EQ(sharded.mean_loss(), whole.mean_loss());
    const auto gradients = sharded.model_values(Content::gradient);
    const auto expected = whole.model_values(Content::gradient);
    if (ranks() != 2 && different(gradients, expected) > 0) {
      EXPECT_LT(largest_difference(gradients, expected), 1e-6);
      return;
    }
    EXPECT_EQ(different(sharded.model_values(Content::parameter), whole.model_values(Content::parameter)),
              0U);
  }
}

TEST(ShardedStep, ThreeUpdatesGiveTheBitsOfUnshardedAdamW) {
  for (auto const& shape : shapes())
    for (auto const& [name, sharding] : shardings()) {
      if (ranks() != 2 && sharding.reduce != Verb::all_reduce) continue;
      SCOPED_TRACE(name);
      ShardedRun whole(updated(case_of(shape, {})));
      ShardedRun sharded(updated(case_of(shape, sharding)));
      expect_equal_updates(whole, sharded);
    }
}

TEST(ShardedStep, TheNormOverShardsIsTheNormOfAllGradients) {
  for (auto const& shape : shapes()) {
    ShardedRun whole(updated(case_of(shape, {}), 1e-3));
    whole.run();
    for (auto const& [name, sharding] : shardings()) {
      SCOPED_TRACE(name);
      ShardedRun sharded(updated(case_of(shape, sharding), 1e-3));
      sharded.run();
      EXPECT_NEAR(sharded.norm() / whole.norm(), 1, 1e-6);
      EXPECT_LT(largest_difference(sharded.model_values(Content::parameter),
                                   whole.model_values(Content::parameter)),
                1e-5);
    }
  }
}

// Gradients are rounded to bf16. Parameters that are gathered and the norm are not.
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

TEST(ShardedStep, PollingLanesGiveTheSameBits) {
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

/// Returns the numbers of the gathers of a lane.
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
