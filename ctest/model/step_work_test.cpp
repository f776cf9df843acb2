// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/step_work.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "shapes.hpp"

namespace ddproxy::model {
namespace {

constexpr Tokens tokens{2, 3};

TEST(StepWork, RopeMatchesHandCalculation) {
  // 6 tokens, with queries of 8 features and keys of 4, have 72 elements. Each element is read, computed with
  // 3 flops, and written.
  const Operation rope{"", "", OperationKind::rope, 12, 12};
  for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward}) {
    const Work work = operator_work(llama_shape(1), rope, tokens, phase, 4);
    EXPECT_EQ(work.flops, 3 * 72);
    EXPECT_EQ(work.bytes, 4 * 2 * 72);
  }
}

TEST(StepWork, GroupedQueriesMoveFewerKeysWithTheSameFlops) {
  // 4 query heads and 2 key-value heads, of 2 features each. There are 72 scores. Queries and result have 48
  // elements each, keys and values 24 each.
  const Operation attention{"", "", OperationKind::attention, 16, 8};
  const Work forward = operator_work(llama_shape(1), attention, tokens, Phase::forward, 4);
  EXPECT_EQ(forward.flops, 2 * (2 * 72 * 2) + 5 * 72);
  EXPECT_EQ(forward.bytes, 4 * (48 + 24 + 24 + 48 + 4 * 72));
  Shape all = llama_shape(1);
  all.kv_heads = 0;
  const Operation ungrouped{"", "", OperationKind::attention, 24, 8};
  EXPECT_EQ(operator_work(all, ungrouped, tokens, Phase::forward, 4).flops, forward.flops);
}

TEST(StepWork, RecomputeHasTheWorkOfForwardAndUpdateIsRefused) {
  const Shape shape = llama_shape(2);
  for (Operation const& operation : backward_pass(shape).operations) {
    const Work forward = operator_work(shape, operation, tokens, Phase::forward, 4);
    const Work again = operator_work(shape, operation, tokens, Phase::recompute, 4);
    EXPECT_EQ(forward.flops, again.flops);
    EXPECT_EQ(forward.bytes, again.bytes);
    EXPECT_EQ(operator_work(shape, operation, tokens, Phase::backward, 4).bytes,
              backward_work(shape, operation, tokens, 4).bytes);
  }
  EXPECT_THROW(operator_work(shape, {}, tokens, Phase::update, 4), std::invalid_argument);
}

TEST(StepWork, OptimizerMatchesHandCalculation) {
  EXPECT_EQ(update_work(10, false).bytes, 280);  // four arrays read, three written
  EXPECT_EQ(update_work(10, false).flops, 140);
  EXPECT_EQ(update_work(10, true).bytes, 280);
  EXPECT_EQ(update_work(10, true).flops, 150);
  EXPECT_EQ(norm_work(10).bytes, 40);
  EXPECT_EQ(norm_work(10).flops, 20);
  EXPECT_EQ(clip_work(10).bytes, 80);
  EXPECT_EQ(clip_work(10).flops, 10);
  // Llama-3-8B on an A100 at 1.555 TB/s: 8.03e9 parameters, 144.6 ms.
  const Work llama = update_work(parameters(backward_pass(find_preset("llama3-8b"))), false);
  EXPECT_NEAR(roofline_seconds(llama, {19.5e12, 1.555e12, 1}), 0.1446, 0.0001);
}

TEST(StepWork, ModelFlopsMatchHandCalculation) {
  // GPT-2: 12 blocks of 12 d^2 weights, and the tied head.
  const Shape gpt2 = find_preset("gpt2");
  EXPECT_EQ(product_parameters(gpt2), 12 * 12 * 768 * 768 + 768 * 50257);
  const ModelFlops flops = model_flops(gpt2, {4, 1024});
  EXPECT_DOUBLE_EQ(flops.products, 6.0 * (12.0 * 12 * 768 * 768 + 768.0 * 50257) * 4096);
  EXPECT_DOUBLE_EQ(flops.attention, 12.0 * 12 * 768 * 1024 * 4096);
  // In cs336-s no matrix product uses the norms, or the token table, from which rows are only copied.
  EXPECT_EQ(product_parameters(find_preset("cs336-s")), 128'625'408 - 10000 * 768 - 25 * 768);
}

/// Returns the flops of the matrix products of an operator. Biases and the element-wise work of attention are
/// not counted.
double products(Shape const& shape, Operation const& operation, Phase phase) {
  const double flops = operator_work(shape, operation, tokens, phase, 4).flops;
  const auto rows = static_cast<double>(tokens.count());
  const double scores = rows * static_cast<double>(tokens.sequence * shape.heads);
  const double bias = shape.biases ? rows * static_cast<double>(operation.out) : 0;
  switch (operation.kind) {
    case OperationKind::head:
      return flops;
    case OperationKind::linear:
      return flops - bias;
    case OperationKind::attention:
      return flops - (phase == Phase::backward ? 4 : 5) * scores;
    default:
      return 0;
  }
}

TEST(StepWork, MatrixProductsSumToTheModelFlopsAndBackwardIsTwiceForward) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    double forward = 0, backward = 0;
    for (Operation const& operation : backward_pass(shape).operations) {
      const double ahead = products(shape, operation, Phase::forward);
      const double back = products(shape, operation, Phase::backward);
      EXPECT_DOUBLE_EQ(back, 2 * ahead) << operation.name;
      forward += ahead;
      backward += back;
    }
    EXPECT_DOUBLE_EQ(forward + backward, model_flops(shape, tokens).total());
  }
}

TEST(StepWork, RooflineGivesTheCostsOfAllPhases) {
  const Shape shape = llama_shape(2);
  const BackwardPass pass = backward_pass(shape);
  const Machine machine{1e12, 1e11, 0.5};
  const PhaseCosts costs = modelled_phases(shape, pass, tokens, machine, 4, true);
  EXPECT_EQ(costs.backward, modelled_seconds(shape, pass, tokens, machine, 4));
  ASSERT_EQ(costs.forward.size(), pass.operations.size());
  for (std::size_t o = 0; o < pass.operations.size(); ++o) EXPECT_GT(costs.forward[o], 0);
  EXPECT_DOUBLE_EQ(costs.update(1000), 28e3 / 1e11 / 0.5);
  EXPECT_DOUBLE_EQ(costs.norm(1000), 4e3 / 1e11 / 0.5);
  EXPECT_DOUBLE_EQ(costs.clip(1000), 8e3 / 1e11 / 0.5);
}

}  // namespace
}  // namespace ddproxy::model
