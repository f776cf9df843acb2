// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "ctest/model/random_number.hpp"
#include "ctest/model/shapes.hpp"
#include "ctest/model/step/violations.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/step/check/check.hpp"
#include "model/step/strategies/whole_step.hpp"

// Checks the graphs of ZeRO and FSDP of whole models: that they are right for random models and settings, how
// much they communicate, and that planted faults are found.
namespace ddproxy::model {
namespace {

constexpr std::int64_t tokens = 3;

Plan plan_of(Shape const& shape, std::int64_t cap) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : backward_pass(shape).gradients) bytes.push_back(gradient.numel * 4);
  return bucketed_plan(bytes, {&cap, 1});
}

RankGraphs step_of(Shape const& shape, Strategy const& strategy, std::size_t ranks) {
  return whole_step(backward_pass(shape), forward_pass(shape), tokens, strategy, ranks);
}

// ---- steps that are right

bool yes(std::mt19937& random) {
  return number(random, 0, 1) == 1;
}

Sharding random_sharding(std::mt19937& random, std::size_t ranks) {
  Sharding sharding{.stage = static_cast<ShardStage>(number(random, 1, 3)),
                    .unit = yes(random) ? ShardUnit::layer : ShardUnit::whole,
                    .reshard_after_forward = yes(random),
                    .prefetch = number(random, 0, 3),
                    .reduce = yes(random) ? Verb::reduce_scatter : Verb::all_reduce,
                    .update = yes(random) ? Verb::all_gather : Verb::broadcast,
                    .lanes = number(random, 1, 2)};
  if (sharding.stage == ShardStage::fsdp && ranks % 2 == 0) sharding.group = yes(random) ? 2 : 0;
  return sharding;
}

Strategy random_strategy(Shape const& shape, std::mt19937& random, std::size_t ranks) {
  return {.ddp = {.plan = plan_of(shape, number(random, 1, 20000)),
                  .overlapped = yes(random),
                  .wire = yes(random) ? DataType::bf16 : DataType::fp32},
          .micro_batches = number(random, 1, 3),
          .sync = yes(random) ? Sync::each : Sync::last,
          .clipped = yes(random),
          .optimizer = yes(random) ? Optimizer::adamw : Optimizer::none,
          .checkpoint = yes(random) ? Checkpoint::layer : Checkpoint::none,
          .sharding = random_sharding(random, ranks)};
}

std::string words(Strategy const& s, std::size_t ranks, unsigned seed) {
  auto const& shard = s.sharding;
  return "seed " + std::to_string(seed) + ", ranks " + std::to_string(ranks) + ", stage " +
         std::to_string(static_cast<int>(shard.stage)) + ", unit " +
         std::to_string(static_cast<int>(shard.unit)) + ", reshard " +
         std::to_string(shard.reshard_after_forward) + ", prefetch " + std::to_string(shard.prefetch) +
         ", group " + std::to_string(shard.group) + ", scatter " +
         std::to_string(shard.reduce == Verb::reduce_scatter) + ", gather " +
         std::to_string(shard.update == Verb::all_gather) + ", lanes " + std::to_string(shard.lanes) +
         ", overlapped " + std::to_string(s.ddp.overlapped) + ", micro-batches " +
         std::to_string(s.micro_batches) + ", sync each " + std::to_string(s.sync == Sync::each) +
         ", clipped " + std::to_string(s.clipped) + ", updated " +
         std::to_string(s.optimizer == Optimizer::adamw) + ", checkpoint " +
         std::to_string(s.checkpoint == Checkpoint::layer);
}

TEST(ShardedStep, IsRightForRandomStrategiesAndModels) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const Shape shape = seed % 5 == 0 ? find_preset("tiny") : random_variant(random);
    const auto ranks = static_cast<std::size_t>(number(random, 2, 4));
    const Strategy strategy = random_strategy(shape, random, ranks);
    EXPECT_EQ(text(check(step_of(shape, strategy, ranks))), "") << words(strategy, ranks, seed);
  }
}

TEST(ShardedStep, IsRightForLlama3OnEightRanks) {
  const Shape shape = find_preset("llama3-8b");
  for (const auto stage : {ShardStage::zero1, ShardStage::zero2, ShardStage::fsdp}) {
    const RankGraphs step = whole_step(backward_pass(shape), forward_pass(shape), 8192,
                                       {.ddp = {.plan = plan_of(shape, 25 << 20)},
                                        .micro_batches = 2,
                                        .clipped = true,
                                        .optimizer = Optimizer::adamw,
                                        .sharding = {.stage = stage}},
                                       8);
    EXPECT_EQ(text(check(step)), "");
    EXPECT_EQ(step.classes.size(), 1U) << "no shard of this model has padding";
  }
}

TEST(ShardedStep, RefusesAGroupThatDoesNotDivideTheRanks) {
  for (const std::size_t group : {3, 8})
    EXPECT_THROW(step_of(find_preset("tiny"), {.sharding = {.stage = ShardStage::fsdp, .group = group}}, 4),
                 std::invalid_argument);
}

// ---- how much they communicate

/// Returns, for each verb, the sum of the sizes of the collectives of one rank, as a multiple of the size of
/// the model. Padding is left out. `strategy` must not clip: the all-reduce of the sum of squares would
/// count, too.
std::map<Verb, double> volume_of(Shape const& shape, Strategy const& strategy, std::size_t ranks) {
  const RankGraphs step = step_of(shape, strategy, ranks);
  EXPECT_EQ(text(check(step)), "");
  const auto psi = 4 * parameters(backward_pass(shape));
  std::map<Verb, double> volumes;
  for (auto const& [verb, volume] : wire_volume(step, 0))
    volumes[verb] = static_cast<double>(volume.bytes - volume.padding) / static_cast<double>(psi);
  return volumes;
}

Strategy updated(Sharding const& sharding, Shape const& shape, int micro_batches) {
  return {.ddp = {.plan = plan_of(shape, 5000)},
          .micro_batches = micro_batches,
          .optimizer = Optimizer::adamw,
          .sharding = sharding};
}

using Volumes = std::map<Verb, double>;

TEST(ShardedStep, VolumeOfZeroMatchesTheClosedForms) {
  for (auto const& shape : {find_preset("tiny"), llama_shape(3)})
    for (const std::size_t n : {2, 3, 4})
      for (const int k : {1, 4}) {
        const auto volume = [&](Sharding const& sharding) {
          return volume_of(shape, updated(sharding, shape, k), n);
        };
        EXPECT_EQ(volume({.stage = ShardStage::zero1}),
                  (Volumes{{Verb::reduce_scatter, 1}, {Verb::all_gather, 1}}));
        EXPECT_EQ(volume({.stage = ShardStage::zero1, .reduce = Verb::all_reduce, .update = Verb::broadcast}),
                  (Volumes{{Verb::all_reduce, 1}, {Verb::broadcast, 1}}));
        EXPECT_EQ(volume({.stage = ShardStage::zero2}),
                  (Volumes{{Verb::reduce_scatter, k}, {Verb::all_gather, 1}}));
      }
}

/// Returns the share of the model's parameters that belong to the layers for which `is_in` returns true.
double share_of(Shape const& shape, std::function<bool(std::string const&)> const& is_in) {
  std::int64_t sum = 0;
  const auto pass = backward_pass(shape);
  for (auto const& gradient : pass.gradients)
    if (is_in(gradient.layer)) sum += gradient.numel;
  return static_cast<double>(sum) / static_cast<double>(parameters(pass));
}

TEST(ShardedStep, VolumeOfFsdpIsTheClosedFormMinusTheUnitsThatStayGathered) {
  for (auto const& shape : {find_preset("tiny"), llama_shape(3)}) {
    const auto last = "h." + std::to_string(shape.layers - 1);
    const double root = share_of(shape, [](auto const& layer) { return !layer.starts_with("h."); });
    const double stays = root + share_of(shape, [&](auto const& layer) { return layer == last; });
    for (const std::size_t n : {2, 3, 4})
      for (const int k : {1, 4}) {
        const auto volume = [&](Sharding sharding) {
          sharding.stage = ShardStage::fsdp;
          return volume_of(shape, updated(sharding, shape, k), n);
        };
        auto all = volume({});
        EXPECT_DOUBLE_EQ(all[Verb::reduce_scatter], k);
        EXPECT_NEAR(all[Verb::all_gather], k * (2 - stays), 1e-12);
        all = volume({.reshard_after_forward = false});
        EXPECT_NEAR(all[Verb::all_gather], k, 1e-12);
        all = volume({.unit = ShardUnit::whole});
        EXPECT_NEAR(all[Verb::all_gather], k, 1e-12);
        if (n != 4) continue;
        all = volume({.group = 2});
        // Two ranks divide every unit of these models without padding, so the volume is exact.
        EXPECT_DOUBLE_EQ(all[Verb::all_reduce], 0.5) << "the shards are averaged over the groups";
      }
  }
}

// ---- planted faults

/// Returns the ids of the tasks of a verb.
std::vector<std::size_t> tasks_of(StepGraph const& graph, Verb verb) {
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    for (auto const& each : collectives_of(graph.tasks[t]))
      if (each.verb == verb) found.push_back(t);
  return found;
}

/// Replaces a task by a HostWait without accesses. Other tasks still wait for it.
void leave_out(StepGraph& graph, std::size_t task) {
  graph.tasks[task] = {.work = HostWait{}, .accesses = {}, .after = graph.tasks[task].after};
}

TEST(ShardedStepPlanted, AGatherThatIsLeftOutIsFound) {
  const Shape shape = llama_shape(3);
  // ZeRO-1 gathers the updated parameters at the end of the step. FSDP gathers the parameters that the next
  // tasks read.
  for (auto const& [stage, rule] :
       {std::pair(ShardStage::zero1, Rule::same_state_at_exit), std::pair(ShardStage::fsdp, Rule::filled)}) {
    const auto step = step_of(shape, updated({.stage = stage}, shape, 1), 2);
    const auto gathers = tasks_of(step.classes[0].graph, Verb::all_gather);
    ASSERT_FALSE(gathers.empty());
    for (const std::size_t gather : gathers) {
      const auto violations = check(changed(step, [&](StepGraph& graph) { leave_out(graph, gather); }));
      EXPECT_TRUE(found(violations, rule)) << text(violations);
    }
  }
}

TEST(ShardedStepPlanted, ASlotThatIsReusedTooEarlyIsFound) {
  const Shape shape = llama_shape(3);
  // The gathers have a lane of their own, so no gather waits for an earlier reduction on its lane.
  const auto step = step_of(shape, updated({.stage = ShardStage::fsdp, .lanes = 2}, shape, 1), 2);
  std::size_t caught = 0;
  for (const std::size_t gather : tasks_of(step.classes[0].graph, Verb::all_gather)) {
    if (step.classes[0].graph.tasks[gather].after.empty()) continue;
    EXPECT_TRUE(found(check(changed(step, [&](StepGraph& graph) { graph.tasks[gather].after.clear(); })),
                      Rule::ordered));
    ++caught;
  }
  EXPECT_GT(caught, 0U);
}

TEST(ShardedStepPlanted, AShardThatIsOverwrittenOrReducedTwiceIsFound) {
  const Shape shape = llama_shape(3);
  const auto step = step_of(shape, updated({.stage = ShardStage::zero2}, shape, 2), 2);
  const auto adds = [](StepGraph& graph) {
    for (const std::size_t t : tasks_of(graph, Verb::reduce_scatter)) {
      Access& to = graph.tasks[t].accesses[1];
      if (to.mode == AccessMode::contribute) to.mode = AccessMode::assign;  // the first micro-batch is lost
    }
  };
  EXPECT_TRUE(found(check(changed(step, adds)), Rule::contributes_all));
  const auto twice = [](StepGraph& graph) {
    const auto all = tasks_of(graph, Verb::reduce_scatter);
    graph.tasks[all[0]].accesses[0].last_use = false;
    auto again = graph.tasks[all[0]];
    again.accesses[1].mode = AccessMode::contribute;
    graph.tasks.insert(graph.tasks.begin() + static_cast<std::ptrdiff_t>(all[0]) + 1, again);
    for (std::size_t t = all[0] + 2; t < graph.tasks.size(); ++t)
      for (TaskId& before : graph.tasks[t].after)
        if (index(before) >= all[0]) before = TaskId{index(before) + 1};
  };
  EXPECT_TRUE(found(check(changed(step, twice)), Rule::contributes_once))
      << text(check(changed(step, twice)));
}

TEST(ShardedStepPlanted, PaddingThatIsNotDeclaredIsFound) {
  Shape shape = llama_shape(2);
  shape.vocabulary = 19;
  for (const auto stage : {ShardStage::zero1, ShardStage::fsdp}) {
    const auto step = step_of(shape, updated({.stage = stage}, shape, 1), 3);
    ASSERT_GT(step.classes.size(), 1U) << "three ranks do not divide this model";
    const auto forget = [](StepGraph& graph) {
      for (const std::size_t t : tasks_of(graph, Verb::reduce_scatter))
        graph.tasks[t].accesses[0].padding = 0;
    };
    EXPECT_TRUE(found(check(changed(step, forget)), Rule::filled));
  }
}

}  // namespace
}  // namespace ddproxy::model
