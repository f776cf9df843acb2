// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/step_lane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ctest/kernels/compare.hpp"
#include "ctest/miniapp/step_run.hpp"
#include "miniapp/compute/kernel_backward.hpp"
#include "model/step/check/check.hpp"

// Compares the gradients of whole steps on the kernels with those of the backward pass of GPT-2. Compares
// several micro-batches with one batch, and checkpoints with no checkpoints. Also plants faults in steps.
namespace ddproxy {
namespace {

model::Shape untied(model::Shape shape) {
  shape.tied = false;
  return shape;
}

/// Returns the gradients of KernelBackward, averaged over the ranks.
std::vector<float> averaged_gradients(StepCase const& c) {
  const auto pass = model::backward_pass(c.shape);
  std::vector<float> average(static_cast<std::size_t>(model::parameters(pass)));
  for (int rank = 0; rank < test_runtime->ranks(); ++rank) {
    const auto arena = kernels::poisoned(average.size());
    KernelBackward backward(c.shape, pass, c.tokens, step_seed, rank, arena);
    run_all(backward);
    for (std::size_t i = 0; i < average.size(); ++i) average[i] += arena(i);
  }
  for (float& each : average) each /= static_cast<float>(test_runtime->ranks());  // exact: 1 or 2 ranks
  return average;
}

TEST(StepLane, GivesTheBitsOfTheBackwardPassOfGpt2) {
  const std::pair<model::Shape, model::Tokens> cases[] = {{model::find_preset("tiny"), {2, 24}},
                                                          {untied(model::find_preset("tiny")), {1, 32}},
                                                          {{3, 60, 3, 100, 301, 70}, {3, 67}},
                                                          {{1, 40, 5, 90, 97, 140}, {1, 139}}};
  for (auto const& [shape, tokens] : cases) {
    const StepCase c{shape, tokens, {.ddp = {.plan = plan_of(shape)}}};
    StepRun step(c);
    const auto expected = averaged_gradients(c);
    for (int again = 0; again < 2; ++again) {
      step.run();
      EXPECT_EQ(different(step.gradients(), expected), 0U);
    }
  }
}

/// Returns models of all kinds: GPT-2, Llama, and mixtures of both.
std::vector<model::Shape> some_shapes() {
  std::vector<model::Shape> some = mixed_models();
  some.insert(some.end(), {model::find_preset("tiny"), untied(model::find_preset("tiny")), small_llama()});
  return some;
}

double norm_of(std::span<const float> values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

struct Errors {
  double largest = 0;        ///< largest error of a gradient tensor, relative to the true gradient
  std::size_t left_out = 0;  ///< tensors whose gradient is rounding noise
};

Errors errors_of(StepRun& step, StepRun& truth) {
  const double noise = 1e-6 * norm_of(truth.gradients());
  Errors errors;
  for (std::size_t t = 0; t < step.layout().size(); ++t) {
    const Slice slice = step.layout()[t].slice();
    const auto got = step.gradients().subspan(slice.offset, slice.count);
    const auto expected = truth.gradients().subspan(slice.offset, slice.count);
    const bool is_noise = norm_of(expected) < noise;
    errors.left_out += is_noise ? 1 : 0;
    if (is_noise) continue;
    const double error = reference::relative_error(std::vector<float>(got.begin(), got.end()),
                                                   std::vector<double>(expected.begin(), expected.end()));
    errors.largest = std::max(errors.largest, error);
  }
  return errors;
}

/// Returns the number of tensors whose gradient is mathematically 0. These are the biases of the keys, if
/// they are tensors of their own and the keys are not rotated: a bias that all keys share does not change the
/// softmax.
std::size_t zero_gradients(model::Shape const& shape) {
  const bool have_bias = shape.qkv == model::Qkv::separate && shape.biases;
  return have_bias && shape.positions != model::Positions::rope ? static_cast<std::size_t>(shape.layers) : 0;
}

TEST(StepLane, MicroBatchesGiveTheGradientsOfOneBatch) {
  constexpr int k = 3;
  for (auto const& shape : some_shapes()) {
    const auto plan = plan_of(shape);
    StepRun one({shape, {2 * k, 13}, {.ddp = {.plan = plan}}});
    one.run();
    for (const auto sync : {model::Sync::last, model::Sync::each}) {
      StepRun several({shape, {2, 13}, {.ddp = {.plan = plan}, .micro_batches = k, .sync = sync}});
      several.run();
      const Errors errors = errors_of(several, one);
      EXPECT_LT(errors.largest, 1e-5);
      EXPECT_EQ(errors.left_out, zero_gradients(shape));
      EXPECT_NEAR(several.mean_loss(), one.mean_loss(), 1e-6);
      EXPECT_EQ(several.collectives(), plan.size() * (sync == model::Sync::last ? 1 : k));
    }
  }
}

TEST(StepLane, CheckpointsGiveTheSameBits) {
  for (auto const& shape : some_shapes()) {
    model::Strategy strategy{.ddp = {.plan = plan_of(shape)}, .micro_batches = 2};
    StepRun kept({shape, {2, 13}, strategy});
    strategy.checkpoint = model::Checkpoint::layer;
    StepRun again({shape, {2, 13}, strategy});
    for (auto* step : {&kept, &again}) step->run();
    EXPECT_EQ(different(kept.gradients(), again.gradients()), 0U);
    EXPECT_EQ(kept.lane->loss(), again.lane->loss());
  }
}

TEST(StepLane, BucketsInMemoryOfTheirOwnGiveTheSameBits) {
  const model::Shape shape = small_llama();
  model::Strategy strategy{.ddp = {.plan = plan_of(shape)}, .micro_batches = 2};
  StepRun direct({shape, {2, 13}, strategy});
  strategy.ddp.copies = model::CopyMode::in_out;
  StepRun copied({shape, {2, 13}, strategy});
  for (auto* step : {&direct, &copied}) step->run();
  EXPECT_EQ(different(direct.gradients(), copied.gradients()), 0U);
}

// ---- planted faults

TEST(StepLanePlanted, AMicroBatchThatOverwritesGradientsIsCaught) {
  const model::Shape shape = small_llama();
  const auto assign = [](model::StepGraph& graph) {
    for (auto& task : graph.tasks)
      for (auto& access : task.accesses)
        if (access.mode == model::AccessMode::contribute) access.mode = model::AccessMode::assign;
  };
  StepRun one({shape, {4, 13}, {.ddp = {.plan = plan_of(shape)}}});
  StepRun wrong({shape, {2, 13}, {.ddp = {.plan = plan_of(shape)}, .micro_batches = 2}}, assign);
  for (auto* step : {&one, &wrong}) step->run();
  EXPECT_GT(errors_of(wrong, one).largest, 0.1);
}

// The activations of the last block are still in memory: nothing overwrites them before its backward pass.
// So the test leaves out recompute tasks of the first block, one at a time.
TEST(StepLanePlanted, ARecomputeThatIsLeftOutIsCaught) {
  const model::Shape shape = small_llama();
  const auto pass = model::backward_pass(shape);
  const StepCase c{shape, {2, 13}, {.ddp = {.plan = plan_of(shape)}, .checkpoint = model::Checkpoint::layer}};
  StepRun right(c);
  right.run();
  std::size_t planted = 0;
  const auto graph = graphs_of(c).classes.front().graph;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    auto const* compute = std::get_if<model::Compute>(&graph.tasks[t].work);
    if (!compute || compute->phase != model::Phase::recompute) continue;
    auto const& operation = pass.operations[index(compute->op)];
    if (operation.block != 0U) continue;
    StepRun wrong(c, [&](model::StepGraph& g) { g.tasks[t].work = model::HostWait{}; });
    wrong.run();
    EXPECT_GT(different(wrong.gradients(), right.gradients()), 0U) << operation.name;
    ++planted;
  }
  EXPECT_EQ(planted, 11U);  // two norms, six maps, RoPE, attention, SwiGLU
}

TEST(StepLanePlanted, AnUpdateBeforeItsAllReduceIsCaught) {
  if (test_runtime->ranks() == 1) GTEST_SKIP() << "one rank needs no reduction";
  const model::Shape shape = small_llama();
  const StepCase c{
      shape,
      {2, 13},
      {.ddp = {.plan = plan_of(shape, 0), .overlapped = false}, .optimizer = model::Optimizer::adamw}};
  const auto swap = [](model::StepGraph& graph) {
    const std::size_t update = graph.tasks.size() - 1, reduction = update - 1;
    ASSERT_FALSE(model::collectives_of(graph.tasks[reduction]).empty());
    std::swap(graph.tasks[reduction], graph.tasks[update]);
    graph.tasks[reduction].after.clear();
    graph.tasks[update].after = {model::TaskId{reduction}};
  };
  auto graphs = graphs_of(c);
  EXPECT_TRUE(model::check(graphs).empty());
  swap(graphs.classes.front().graph);
  EXPECT_FALSE(model::check(graphs).empty());
  StepRun right(c), wrong(c, swap);
  for (auto* step : {&right, &wrong}) step->run();
  EXPECT_GT(different(wrong.parameters(), right.parameters()), 0U);
}

TEST(StepLanePlanted, ATaskThatLacksAnAccessIsRefused) {
  const model::Shape shape = small_llama();
  const StepCase c{shape, {2, 13}, {.ddp = {.plan = plan_of(shape)}}};
  EXPECT_THROW(StepRun(c, [](model::StepGraph& graph) { graph.tasks[1].accesses.pop_back(); }),
               std::logic_error);
}

TEST(StepLane, RefusesAMissingClipLimitAndATooLongSequence) {
  const model::Shape shape = small_llama();
  const model::Strategy clipped{.ddp = {.plan = plan_of(shape)}, .clipped = true};
  EXPECT_THROW(StepRun({shape, {2, 13}, clipped}), std::invalid_argument);
  EXPECT_THROW(StepRun({shape, {2, 13}, clipped, 0.0}), std::invalid_argument);
  EXPECT_THROW(StepRun({shape, {2, 21}, {.ddp = {.plan = plan_of(shape)}}}),
               std::invalid_argument);  // context 20
}

}  // namespace
}  // namespace ddproxy
