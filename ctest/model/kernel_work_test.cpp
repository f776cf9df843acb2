// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/kernel_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "shapes.hpp"

namespace ddproxy::model {
namespace {

constexpr Tokens tokens{2, 3};

TEST(KernelWork, AddsUpToTheWorkOfTheOperator) {
  for (Shape const& shape : shapes_of_all_kinds()) {
    for (Operation const& operation : backward_pass(shape).operations) {
      for (const Phase phase : {Phase::forward, Phase::recompute, Phase::backward}) {
        const Work whole = operator_work(shape, operation, tokens, phase, 4);
        Work sum;
        for (KernelWork const& kernel : operator_kernels(shape, operation, tokens, phase, 4)) {
          EXPECT_GT(kernel.work.bytes, 0) << operation.name;
          sum.flops += kernel.work.flops;
          sum.bytes += kernel.work.bytes;
        }
        EXPECT_DOUBLE_EQ(sum.flops, whole.flops) << operation.name;
        EXPECT_DOUBLE_EQ(sum.bytes, whole.bytes) << operation.name;
      }
    }
  }
}

TEST(KernelWork, AttentionMatchesHandCalculation) {
  // 4 query heads and 2 key-value heads, of 2 features each. There are 72 scores. Queries and result have 48
  // elements each, keys and values 24 each.
  const Operation attention{"", "", OperationKind::attention, 16, 8};
  const auto forward = operator_kernels(llama_shape(1), attention, tokens, Phase::forward, 4);
  ASSERT_EQ(forward.size(), 3U);  // the products S and O, then softmax
  EXPECT_EQ(forward[0].kind, KernelKind::product);
  EXPECT_EQ(forward[0].work.flops, 2 * 72 * 2);
  EXPECT_EQ(forward[0].work.bytes, 4 * (48 + 24 + 72));
  EXPECT_EQ(forward[2].kind, KernelKind::softmax);
  EXPECT_EQ(forward[2].work.flops, 5 * 72);
  EXPECT_EQ(forward[2].work.bytes, 4 * 2 * 72);
  const auto backward = operator_kernels(llama_shape(1), attention, tokens, Phase::backward, 4);
  ASSERT_EQ(backward.size(), 5U);  // the products dP, dV, dQ and dK, then dS
  EXPECT_EQ(backward[3].work.flops, 2 * 72 * 2);
  EXPECT_EQ(backward[3].work.bytes, 4 * (48 + 24 + 72));
  EXPECT_EQ(backward[4].work.bytes, 4 * 3 * 72);
}

TEST(KernelWork, ABiasIsAKernelOfTheBackwardPassOnly) {
  Shape shape = llama_shape(1);
  const Operation linear{"", "", OperationKind::linear, 8, 16};
  EXPECT_EQ(operator_kernels(shape, linear, tokens, Phase::backward, 4).size(), 2U);
  shape.biases = true;
  EXPECT_EQ(operator_kernels(shape, linear, tokens, Phase::forward, 4).size(), 1U);
  const auto backward = operator_kernels(shape, linear, tokens, Phase::backward, 4);
  ASSERT_EQ(backward.size(), 3U);
  EXPECT_EQ(backward[0].work.flops, 2 * 6 * 8 * 16);
  EXPECT_EQ(backward[0].work.bytes, 4 * (6 * 8 + 6 * 16 + 8 * 16));
  EXPECT_EQ(backward[2].kind, KernelKind::other);
  EXPECT_EQ(backward[2].work.bytes, 4 * (6 * 16 + 16));
}

TEST(KernelWork, AStepIsForwardBackwardAndAnUpdateForEachTensor) {
  const Shape shape = find_preset("cs336-s-gelu");
  const auto forward = part_kernels(shape, tokens, TimedPart::forward, 4);
  const auto backward = part_kernels(shape, tokens, TimedPart::backward, 4);
  const auto both = part_kernels(shape, tokens, TimedPart::forward_backward, 4);
  const auto step = part_kernels(shape, tokens, TimedPart::step, 2);
  // A layer has 2 norms, 6 linear maps, 1 activation and attention. Outside of the layers are loss, head,
  // norm and two tables. In the backward pass a linear map and the head have 2 kernels each. Attention has 3
  // kernels in the forward pass and 5 in the backward pass.
  EXPECT_EQ(forward.size(), 12U * (2 + 6 + 1 + 3) + 5);
  EXPECT_EQ(backward.size(), 12U * (2 + 12 + 1 + 5) + 6);
  EXPECT_EQ(both.size(), forward.size() + backward.size());
  EXPECT_EQ(step.size(), both.size() + 12 * 8 + 4);
  double bytes = 0;
  for (KernelWork const& kernel : step)
    if (kernel.kind == KernelKind::update) bytes += kernel.work.bytes;
  EXPECT_EQ(bytes, 28.0 * 100'412'160);  // the update is in fp32, although activations have 2 bytes
}

}  // namespace
}  // namespace ddproxy::model
