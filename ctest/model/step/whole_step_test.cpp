// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/whole_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ctest/model/random_number.hpp"
#include "ctest/model/shapes.hpp"
#include "ctest/model/step/violations.hpp"
#include "ctest/model/step/wire_volume.hpp"
#include "model/step/check/check.hpp"
#include "model/step/describe.hpp"

namespace ddproxy::model {
namespace {

constexpr std::int64_t tokens = 3;

std::vector<std::int64_t> bytes_of(BackwardPass const& pass) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(gradient.numel * 4);
  return bytes;
}

Plan plan_of(Shape const& shape, std::int64_t cap) {
  return bucketed_plan(bytes_of(backward_pass(shape)), {&cap, 1});
}

RankGraphs step_of(Shape const& shape, Strategy const& strategy, std::size_t ranks = 2) {
  return whole_step(backward_pass(shape), forward_pass(shape), tokens, strategy, ranks);
}

Plan random_plan(Shape const& shape, std::mt19937& random) {
  const auto bytes = bytes_of(backward_pass(shape));
  switch (number(random, 0, 2)) {
    case 0:
      return flat_plan(bytes);
    case 1:
      return per_tensor_plan(bytes);
    default:
      return plan_of(shape, number(random, 1, 20000));
  }
}

Strategy random_strategy(Shape const& shape, std::mt19937& random) {
  const auto yes = [&] { return number(random, 0, 1) == 1; };
  return {.ddp = {.plan = random_plan(shape, random),
                  .overlapped = yes(),
                  .copies = static_cast<CopyMode>(number(random, 0, 2)),
                  .wire = yes() ? DataType::bf16 : DataType::fp32},
          .micro_batches = number(random, 1, 3),
          .sync = yes() ? Sync::each : Sync::last,
          .clipped = yes(),
          .optimizer = yes() ? Optimizer::adamw : Optimizer::none,
          .checkpoint = yes() ? Checkpoint::layer : Checkpoint::none};
}

std::string words(Strategy const& s, unsigned seed) {
  return "seed " + std::to_string(seed) + ", overlapped " + std::to_string(s.ddp.overlapped) + ", copies " +
         std::to_string(static_cast<int>(s.ddp.copies)) + ", micro-batches " +
         std::to_string(s.micro_batches) + ", sync each " + std::to_string(s.sync == Sync::each) +
         ", clipped " + std::to_string(s.clipped) + ", updated " +
         std::to_string(s.optimizer == Optimizer::adamw) + ", checkpoint " +
         std::to_string(s.checkpoint == Checkpoint::layer);
}

// ---- steps that are right

void expect_right(Shape const& shape, std::mt19937& random, unsigned seed) {
  const Strategy strategy = random_strategy(shape, random);
  const auto ranks = static_cast<std::size_t>(number(random, 1, 4));
  const RankGraphs step = step_of(shape, strategy, ranks);
  EXPECT_EQ(text(check(step)), "") << words(strategy, seed);
  const Volume volume = wire_volume(step, 0).at(Verb::all_reduce);
  const std::int64_t times = strategy.sync == Sync::each ? strategy.micro_batches : 1;
  EXPECT_EQ(volume.bytes, times * parameters(backward_pass(shape)) * bytes_of(strategy.ddp.wire));
  EXPECT_EQ(static_cast<std::int64_t>(volume.calls),
            times * static_cast<std::int64_t>(strategy.ddp.plan.size()));
}

TEST(Strategy, IsRightForRandomStrategiesAndModels) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    expect_right(random_variant(random), random, seed);
  }
}

TEST(Strategy, IsRightForRandomStrategiesOfThePresetTiny) {
  for (unsigned seed = 1000; seed < 1100; ++seed) {
    std::mt19937 random(seed);
    expect_right(find_preset("tiny"), random, seed);
  }
}

TEST(Strategy, IsRightWithoutAPlanOnlyForOneRank) {
  for (const Optimizer optimizer : {Optimizer::none, Optimizer::adamw}) {
    const RankGraphs step =
        step_of(llama_shape(2), {.micro_batches = 2, .clipped = true, .optimizer = optimizer}, 1);
    EXPECT_EQ(text(check(step)), "");
    EXPECT_TRUE(wire_volume(step, 0).empty());
  }
  EXPECT_TRUE(found(check(step_of(llama_shape(2), {})), Rule::contributes_all));
}

TEST(Strategy, IsRightForLlama3) {
  const Shape shape = find_preset("llama3-8b");
  const RankGraphs step = whole_step(backward_pass(shape), forward_pass(shape), 8192,
                                     {.ddp = {.plan = plan_of(shape, 25 << 20)},
                                      .micro_batches = 2,
                                      .clipped = true,
                                      .optimizer = Optimizer::adamw,
                                      .checkpoint = Checkpoint::layer},
                                     8);
  EXPECT_EQ(text(check(step)), "");
}

/// Returns the ids of the tasks of a phase, in ascending order. The `micro_batch` -1 stands for all
/// micro-batches.
std::vector<std::size_t> tasks_of(StepGraph const& graph, Phase phase, int micro_batch = -1) {
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    auto const* compute = std::get_if<Compute>(&graph.tasks[t].work);
    if (compute && compute->phase == phase && (micro_batch < 0 || compute->micro_batch == micro_batch))
      found.push_back(t);
  }
  return found;
}

std::vector<std::size_t> collectives_of(StepGraph const& graph) {
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t)
    if (std::holds_alternative<Collective>(graph.tasks[t].work)) found.push_back(t);
  return found;
}

TEST(Strategy, HasTheExpectedNumberOfTasksOfEachPhase) {
  const Shape shape = find_preset("tiny");
  const std::size_t operators = backward_pass(shape).operations.size();
  const Plan plan = plan_of(shape, 100000);
  ASSERT_GT(plan.size(), 2U);
  for (const bool clipped : {false, true}) {
    for (const Optimizer optimizer : {Optimizer::none, Optimizer::adamw}) {
      const RankGraphs step = step_of(shape, {.ddp = {.plan = plan},
                                              .micro_batches = 3,
                                              .clipped = clipped,
                                              .optimizer = optimizer,
                                              .checkpoint = Checkpoint::layer});
      StepGraph const& graph = step.classes[0].graph;
      const bool updated = optimizer == Optimizer::adamw;
      EXPECT_EQ(tasks_of(graph, Phase::forward).size(), 3 * operators);
      EXPECT_EQ(tasks_of(graph, Phase::backward).size(), 3 * operators);
      // In each of two blocks all operators except mlp.c_proj are recomputed. These are 7 operators: two
      // norms, three linear layers, attention and GELU.
      EXPECT_EQ(tasks_of(graph, Phase::recompute).size(), 3 * 2 * 7U);
      EXPECT_EQ(tasks_of(graph, Phase::norm).size(), clipped ? plan.size() : 0);
      EXPECT_EQ(tasks_of(graph, Phase::clip).size(), clipped && !updated ? plan.size() : 0);
      EXPECT_EQ(tasks_of(graph, Phase::update).size(), updated ? plan.size() : 0);
      EXPECT_EQ(collectives_of(graph).size(), plan.size());
    }
  }
}

TEST(Strategy, ReducesInTheLastOrInEachMicroBatch) {
  const Shape shape = find_preset("tiny");
  const Plan plan = plan_of(shape, 100000);
  const RankGraphs last = step_of(shape, {.ddp = {.plan = plan}, .micro_batches = 3});
  const auto second = tasks_of(last.classes[0].graph, Phase::backward, 1);
  EXPECT_GT(collectives_of(last.classes[0].graph).front(), second.back());
  const RankGraphs each = step_of(shape, {.ddp = {.plan = plan}, .micro_batches = 3, .sync = Sync::each});
  StepGraph const& graph = each.classes[0].graph;
  const auto reductions = collectives_of(graph);
  ASSERT_EQ(reductions.size(), 3 * plan.size());
  // The second micro-batch starts after the last all-reduce of the first.
  const std::size_t first = tasks_of(graph, Phase::forward, 1).front();
  EXPECT_EQ(graph.tasks[first].after, std::vector{TaskId{reductions[plan.size() - 1]}});
}

TEST(Strategy, AnUpdateWaitsForItsBucketOrForAllBucketsIfClipped) {
  const Shape shape = find_preset("tiny");
  const Plan plan = plan_of(shape, 100000);
  const auto graph_of = [&](bool clipped) {
    return step_of(shape, {.ddp = {.plan = plan}, .clipped = clipped, .optimizer = Optimizer::adamw})
        .classes[0]
        .graph;
  };
  const StepGraph free = graph_of(false);
  const auto reductions = collectives_of(free), updates = tasks_of(free, Phase::update);
  for (std::size_t b = 0; b < plan.size(); ++b)
    EXPECT_EQ(free.tasks[updates[b]].after, std::vector{TaskId{reductions[b]}});
  const StepGraph clipped = graph_of(true);
  const auto norms = tasks_of(clipped, Phase::norm);
  for (std::size_t b = 0; b < plan.size(); ++b)
    EXPECT_EQ(clipped.tasks[norms[b]].after, std::vector{TaskId{reductions[b]}});
  EXPECT_GT(tasks_of(clipped, Phase::update).front(), norms.back());
  for (const std::size_t update : tasks_of(clipped, Phase::update)) {
    EXPECT_EQ(clipped.tasks[update].lane, clipped.tasks[norms.back()].lane);
    EXPECT_EQ(clipped.tasks[update].accesses.back().content, Content::norm);
  }
}

// ---- planted faults

const Shape small = llama_shape(2);
const Strategy full{.ddp = {.plan = plan_of(small, 1500)},
                    .micro_batches = 2,
                    .clipped = true,
                    .optimizer = Optimizer::adamw};

TEST(Strategy, FindsABucketThatIsNotReducedInTheLastMicroBatch) {
  // The all-reduces of the first micro-batch are kept. The first all-reduce of the second micro-batch is
  // removed.
  Strategy each = full;
  each.sync = Sync::each;
  EXPECT_EQ(text(check(step_of(small, each))), "");
  const auto step = changed(step_of(small, each), [&](StepGraph& g) {
    g.tasks[collectives_of(g)[full.ddp.plan.size()]].work = HostWait{};
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

TEST(Strategy, FindsABucketThatIsReducedTwiceInAMicroBatch) {
  // The second all-reduce reduces the first bucket again, although nothing was added to the bucket in
  // between.
  Strategy each = full;
  each.sync = Sync::each;
  const auto step = changed(step_of(small, each), [&](StepGraph& g) {
    const auto reductions = collectives_of(g);
    g.tasks[reductions[1]].accesses = g.tasks[reductions[0]].accesses;
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_once)) << text(check(step));
}

TEST(Strategy, FindsAnUpdateBeforeTheNormIsComplete) {
  const auto step = changed(step_of(small, full), [](StepGraph& g) {
    std::swap(g.tasks[tasks_of(g, Phase::update).front()], g.tasks[tasks_of(g, Phase::norm).back()]);
  });
  const auto violations = check(step);
  EXPECT_TRUE(found(violations, Rule::contributes_all)) << text(violations);
}

TEST(Strategy, FindsANormBeforeItsAllReduce) {
  const auto step = changed(step_of(small, full),
                            [](StepGraph& g) { g.tasks[tasks_of(g, Phase::norm).back()].after.clear(); });
  EXPECT_TRUE(found(check(step), Rule::ordered)) << text(check(step));
}

TEST(Strategy, FindsAnUpdateThatDoesNotClip) {
  const auto step = changed(step_of(small, full),
                            [](StepGraph& g) { g.tasks[tasks_of(g, Phase::update)[1]].accesses.pop_back(); });
  EXPECT_TRUE(found(check(step), Rule::right_content)) << text(check(step));
}

TEST(Strategy, FindsAGradientThatIsClippedTwice) {
  // A clip task is inserted before the first update. It scales the first bucket, and the update scales it
  // again.
  const auto step = changed(step_of(small, full), [](StepGraph& g) {
    const auto updates = tasks_of(g, Phase::update);
    Task clip = g.tasks[updates[0]];
    clip.work = Compute{OperatorId{}, Phase::clip};
    clip.accesses = {clip.accesses.back(), clip.accesses.front()};
    clip.accesses[1].mode = AccessMode::modify;
    clip.accesses[1].last_use = false;
    g.tasks.insert(g.tasks.begin() + static_cast<std::ptrdiff_t>(updates[0]), clip);
  });
  const auto violations = check(step);
  EXPECT_TRUE(found(violations, Rule::right_content)) << text(violations);
}

TEST(Strategy, FindsAMicroBatchThatOverwritesEarlierGradients) {
  const auto step = changed(step_of(small, full), [](StepGraph& g) {
    for (Access& access : g.tasks[tasks_of(g, Phase::backward, 1)[3]].accesses)
      if (access.mode == AccessMode::contribute) access.mode = AccessMode::assign;
  });
  EXPECT_TRUE(found(check(step), Rule::contributes_all)) << text(check(step));
}

TEST(Strategy, FindsABackwardPassWhoseActivationsAreNotRecomputed) {
  Strategy again = full;
  again.checkpoint = Checkpoint::layer;
  const auto step = changed(step_of(small, again), [](StepGraph& g) {
    g.tasks[tasks_of(g, Phase::recompute)[2]].work = HostWait{};
  });
  EXPECT_TRUE(found(check(step), Rule::filled)) << text(check(step));
}

TEST(Strategy, FindsRecomputedBlocksThatAreSwapped) {
  Strategy again = full;
  again.checkpoint = Checkpoint::layer;
  const auto step = changed(step_of(small, again), [](StepGraph& g) {
    const auto tasks = tasks_of(g, Phase::recompute, 0);
    for (std::size_t i = 0; i < tasks.size() / 2; ++i)
      std::swap(g.tasks[tasks[i]].accesses, g.tasks[tasks[i + tasks.size() / 2]].accesses);
  });
  const auto violations = check(step);
  EXPECT_TRUE(found_only(violations, Rule::right_content)) << text(violations);
}

TEST(Strategy, FindsAMissingUpdate) {
  const auto step = changed(step_of(small, full), [](StepGraph& g) {
    g.tasks[tasks_of(g, Phase::update).front()].work = HostWait{};
  });
  EXPECT_TRUE(found(check(step), Rule::same_state_at_exit)) << text(check(step));
}

TEST(Strategy, RefusesInvalidMicroBatchesTokensAndPasses) {
  EXPECT_THROW(step_of(small, {.ddp = {.plan = full.ddp.plan}, .micro_batches = 0}), std::invalid_argument);
  EXPECT_THROW(whole_step(backward_pass(small), forward_pass(small), 0, full, 2), std::invalid_argument);
  EXPECT_THROW(whole_step(backward_pass(small), forward_pass(llama_shape(3)), tokens, full, 2),
               std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
