// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/accounting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/transformer/gpt2.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy::model {
namespace {

constexpr int bf16 = 2;
// The TPU v5p of the book (accounting.hpp): 4.6e14 flop/s, 1.8e11 bytes/s of one link in both directions.
constexpr LinkedDevice tpu{4.6e14, 2 * 9e10, 1, 1};

TEST(Accounting, TheFfnStackOfTheCourseHasThePublishedNumbers) {
  const ModelAccount xxl = account(xxl_ffn, bf16);
  EXPECT_EQ(xxl.parameters, 219'848'638'464);
  EXPECT_NEAR(16 * static_cast<double>(xxl.parameters) / 1e9, 3517.6, 0.05);
  EXPECT_EQ(xxl.activation_bytes, 17'547'264);
  EXPECT_DOUBLE_EQ(xxl.flops, 6.0 * 219'848'638'464);
  EXPECT_EQ(account(xxl_ffn, 4).activation_bytes, 2 * 17'547'264);
}

TEST(Accounting, PassesOfTheFfnStackHaveTheParametersAndActivationsOfItsAccount) {
  const BackwardPass pass = backward_pass(xxl_ffn);
  const ForwardPass forward = forward_pass(xxl_ffn);
  const ModelAccount xxl = account(xxl_ffn, bf16);
  EXPECT_EQ(parameters(pass), xxl.parameters);
  EXPECT_EQ(pass.operations.size(), 252U);
  EXPECT_EQ(forward.operations.size(), 252U);
  std::int64_t kept = 0;
  for (auto const& operation : forward.operations) {
    ASSERT_EQ(operation.saved.size(), 1U);
    auto const& its = pass.operations[operation.operation];
    EXPECT_EQ(forward.activations[operation.saved[0]].features, its.in) << its.name;
    EXPECT_EQ(pass.gradients[operation.parameters.at(0)].operation, operation.operation) << its.name;
    kept += bf16 * its.in;
  }
  EXPECT_EQ(kept, xxl.activation_bytes);
}

// In the book the intensity of a link, alpha, is 2550. The book's bounds, in tokens for each device, are 850
// for FSDP over three axes, and 99 for FSDP with tensor parallelism.
TEST(Accounting, BoundsAgreeWithTheBook) {
  EXPECT_NEAR(link_intensity(tpu, bf16), 2555.6, 0.1);
  LinkedDevice three = tpu;
  three.shard_links = 3;
  EXPECT_NEAR(compute_bound(three, 32768, bf16).fsdp_tokens, 850, 3);
  LinkedDevice mixed = tpu;
  mixed.shard_links = 2;
  EXPECT_NEAR(compute_bound(mixed, 32768, bf16).mixed_tokens, 99, 1);
  EXPECT_NEAR(compute_bound(tpu, 30000, bf16).tensor_devices, 30000 / 2555.6, 0.01);
}

// Checks the definition of each bound, without its formula.
TEST(Accounting, AtTheBoundComputeAndCommunicationTakeTheSameTime) {
  const double d = 8192, f = 28672, n = 64;
  LinkedDevice device = tpu;
  device.shard_links = 2;
  for (const int e : {2, 4}) {
    const ComputeBound bound = compute_bound(device, static_cast<std::int64_t>(f), e);
    const auto math = [&](double batch) { return 4 * batch * d * f / (n * device.peak_flops); };
    const auto gathers = [&](double y) {
      return 2 * e * d * f / (y * device.link_bandwidth * device.shard_links);
    };
    const auto moves = [&](double batch, double x) {
      return 2 * e * batch * d / (x * device.link_bandwidth * device.tensor_links);
    };
    const double fsdp = n * bound.fsdp_tokens;
    EXPECT_NEAR(math(fsdp) / gathers(1), 1, 1e-12);
    EXPECT_NEAR(4 * d * f / (bound.tensor_devices * device.peak_flops) / moves(1, 1), 1, 1e-12);
    const double batch = n * bound.mixed_tokens;
    const double x = std::sqrt(batch * n * device.shard_links / (f * device.tensor_links));
    EXPECT_NEAR(gathers(n / x) / math(batch), 1, 1e-12);
    EXPECT_NEAR(moves(batch, x) / math(batch), 1, 1e-12);
    const auto with_four = fsdp_tokens_with_tensor(device, static_cast<std::int64_t>(f), e, 4);
    ASSERT_TRUE(with_four.has_value());
    EXPECT_NEAR(math(n * *with_four) / gathers(4), 1, 1e-12);
  }
}

TEST(Accounting, TensorParallelismBeyondItsBoundIsNeverComputeBound) {
  const double most = compute_bound(tpu, xxl_ffn.d_ff, bf16).tensor_devices;
  EXPECT_TRUE(fsdp_tokens_with_tensor(tpu, xxl_ffn.d_ff, bf16, std::floor(most)).has_value());
  EXPECT_FALSE(fsdp_tokens_with_tensor(tpu, xxl_ffn.d_ff, bf16, std::ceil(most)).has_value());
}

TEST(Accounting, FindsTheSmallestNumberOfRanksThatFits) {
  for (const double device : {80e9, 95e9}) {
    for (const double whole : {0.0, 8.8e9}) {
      const RankMemory memory{3517.6e9, whole};
      const auto ranks = ranks_that_fit(memory, device);
      ASSERT_TRUE(ranks.has_value());
      const auto n = static_cast<double>(*ranks);
      EXPECT_LE(memory.sharded / n + whole, device);
      EXPECT_GT(memory.sharded / (n - 1) + whole, device);
    }
  }
  EXPECT_EQ(ranks_that_fit({1, 0}, 80), 1);
  EXPECT_FALSE(ranks_that_fit({1, 80}, 80).has_value());
}

TEST(Accounting, CountsParametersActivationsAndModelFlopsOfATransformer) {
  const Shape shape = find_preset("gpt2");
  const ModelAccount gpt2 = account(shape, 1024, 4);
  EXPECT_EQ(gpt2.parameters, parameters(backward_pass(shape)));
  // With d_ff = 4 d a layer keeps 16 d + heads + 4 elements a token. Outside of the layers the model keeps
  // the last residual stream, the last norm with its 2 statistics, the logits, the logarithm of the sum of
  // their exponentials, and the loss.
  const std::int64_t features = 12 * (16 * 768 + 12 + 4) + 2 * 768 + 2 + 50257 + 2;
  EXPECT_EQ(gpt2.activation_bytes, 4 * features);
  const double matrices = 12.0 * 12 * 768 * 768 + 768.0 * 50257;
  EXPECT_DOUBLE_EQ(gpt2.flops, 6 * matrices + 12.0 * 12 * 768 * 1024);
}

TEST(Accounting, RefusesValuesThatAreNotPositive) {
  EXPECT_THROW(account(FfnStack{0, 1, 1}, bf16), std::invalid_argument);
  EXPECT_THROW(account(find_preset("gpt2"), 0, bf16), std::invalid_argument);
  EXPECT_THROW(link_intensity({1e12, 0, 1, 1}, bf16), std::invalid_argument);
  EXPECT_THROW(link_intensity({std::numeric_limits<double>::infinity(), 1, 1, 1}, bf16),
               std::invalid_argument);
  EXPECT_THROW(compute_bound({1e12, 1e9, 0, 1}, 10, bf16), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
