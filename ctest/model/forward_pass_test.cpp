// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/transformer/forward_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shapes.hpp"

namespace ddproxy::model {
namespace {

TEST(ForwardPass, RunsTheOperationsOfTheBackwardPassInReverse) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    const BackwardPass backward = backward_pass(shape);
    const ForwardPass pass = forward_pass(shape);
    ASSERT_EQ(pass.operations.size(), backward.operations.size());
    for (std::size_t i = 0; i < pass.operations.size(); ++i)
      EXPECT_EQ(pass.operations[i].operation, backward.operations.size() - 1 - i);
  }
}

/// Remembers which tensors have been written.
class Held {
 public:
  void use(TensorUse const& each, std::string const& what) {
    EXPECT_TRUE(each.use == Use::assign || held_.contains(each.tensor)) << what;
    held_.insert(each.tensor);
  }
  bool has(std::size_t tensor) const { return held_.contains(tensor); }

 private:
  std::set<std::size_t> held_;
};

TEST(ForwardPass, NoTensorIsReadBeforeItIsWritten) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    const BackwardPass backward = backward_pass(shape);
    const ForwardPass pass = forward_pass(shape);
    Held activations, gradients;
    for (auto const& operation : pass.operations) {
      std::string const& name = backward.operations[operation.operation].name;
      for (auto const& each : operation.activations) activations.use(each, name);
      for (const std::size_t tensor : operation.saved) EXPECT_TRUE(activations.has(tensor)) << name;
    }
    for (auto operation = pass.operations.rbegin(); operation != pass.operations.rend(); ++operation) {
      std::string const& name = backward.operations[operation->operation].name;
      for (auto const& each : operation->gradients) gradients.use(each, name);
    }
    for (std::size_t t = 0; t < pass.activations.size(); ++t)
      EXPECT_TRUE(activations.has(t)) << pass.activations[t].name;
    for (std::size_t t = 0; t < pass.gradients.size(); ++t)
      EXPECT_TRUE(gradients.has(t)) << pass.gradients[t].name;
  }
}

TEST(ForwardPass, EveryParameterIsReadOnceAndATiedEmbeddingTwice) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    const BackwardPass backward = backward_pass(shape);
    std::vector<int> forward_reads(backward.gradients.size()), backward_reads(backward.gradients.size());
    for (auto const& operation : forward_pass(shape).operations) {
      for (const std::size_t g : operation.parameters) ++forward_reads[g];
      for (const std::size_t g : operation.weights) ++backward_reads[g];
    }
    for (std::size_t g = 0; g < backward.gradients.size(); ++g) {
      std::string const& name = backward.gradients[g].name;
      const bool embedding = name == "wte.weight", tied = embedding && shape.tied;
      EXPECT_EQ(forward_reads[g], tied ? 2 : 1) << name;
      const bool used = !backward.gradients[g].bias && name != "wpe.weight" && (tied || !embedding);
      EXPECT_EQ(backward_reads[g], used ? 1 : 0) << name;
    }
  }
}

TEST(ForwardPass, TensorsOfGpt2MatchHandCalculation) {
  // 4 features, 2 heads, 10 features in the feed-forward layer, a vocabulary of 50, 1 block.
  const ForwardPass pass = forward_pass({1, 4, 2, 10, 50, 8});
  std::int64_t block = 0, others = 0;
  for (auto const& tensor : pass.activations) (tensor.block ? block : others) += tensor.features;
  // ln_1 4 + 2, qkv 12, attention 4, its log_sum 2, middle 4, ln_2 4 + 2, c_fc and its activation 10 each.
  EXPECT_EQ(block, 4 + 2 + 12 + 4 + 2 + 4 + 4 + 2 + 10 + 10);
  // Input and result of the block, ln_f 4 + 2, logits, log_sum, loss.
  EXPECT_EQ(others, 4 + 4 + 4 + 2 + 50 + 1 + 1);
  std::int64_t gradients = 0;
  for (auto const& tensor : pass.gradients) gradients += tensor.features;
  EXPECT_EQ(gradients, 4 + 4 + 12 + 10 + 50);
}

TEST(ForwardPass, TensorsOfLlamaMatchHandCalculation) {
  // 8 features, 4 query heads, 2 key-value heads, 12 features in the feed-forward layer.
  Shape shape = llama_shape(1);
  const ForwardPass pass = forward_pass(shape);
  std::int64_t block = 0;
  for (auto const& tensor : pass.activations) block += tensor.block ? tensor.features : 0;
  // ln_1 8 + 1, q 8, k 4, v 4, attention 8, its log_sum 4, middle 8, ln_2 8 + 1; c_gate, c_fc and their
  // product 12 each.
  EXPECT_EQ(block, 8 + 1 + 8 + 4 + 4 + 8 + 4 + 8 + 8 + 1 + 3 * 12);
}

TEST(ForwardPass, RecomputingABlockLeavesOutItsLastLinearMap) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    const BackwardPass backward = backward_pass(shape);
    for (auto const& operation : forward_pass(shape).operations) {
      Operation const& counterpart = backward.operations[operation.operation];
      const bool in_block = counterpart.layer.starts_with("h.");
      EXPECT_EQ(operation.block.has_value(), in_block && counterpart.part != Part::mlp_c_proj)
          << counterpart.name;
      EXPECT_EQ(counterpart.block.has_value(), in_block) << counterpart.name;
      EXPECT_TRUE(!operation.block || operation.block == counterpart.block) << counterpart.name;
    }
  }
}

// The names of the tensors tell which of them stay in fp32.
TEST(ForwardPass, TheResidualStreamStatisticsAndLogitsStayInFp32) {
  const auto is_kept = [](std::string const& name) {
    for (char const* ending : {".input", ".middle", ".statistics", "log_sum", "logits", "loss", "last"})
      if (name.ends_with(ending)) return true;
    return name == "residual";
  };
  for (Shape const& shape : shapes_of_all_kinds()) {
    const ForwardPass pass = forward_pass(shape);
    for (auto const& tensor : pass.activations)
      EXPECT_EQ(tensor.stays_fp32, is_kept(tensor.name)) << tensor.name;
    for (auto const& tensor : pass.gradients)
      EXPECT_EQ(tensor.stays_fp32, is_kept(tensor.name)) << tensor.name;
  }
}

}  // namespace
}  // namespace ddproxy::model
