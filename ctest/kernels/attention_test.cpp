// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention.hpp"

#include <gtest/gtest.h>

#include "compare.hpp"
#include "device.hpp"
#include "reference.hpp"

namespace ddproxy::kernels {
namespace {

class Attention : public testing::TestWithParam<reference::AttentionSize> {};

/// Returns inputs whose queries and keys are larger than the values, so that the softmax is far from uniform.
std::vector<double> sharp_qkv(std::size_t rows, std::size_t columns) {
  auto qkv = numbers(rows * 3 * columns, 1);
  for (std::size_t i = 0; i < qkv.size(); ++i)
    if (i % (3 * columns) < 2 * columns) qkv[i] *= 2;
  return qkv;
}

AttentionSize in_space(reference::AttentionSize const& s) {
  return {static_cast<Index>(s.batch), static_cast<Index>(s.sequence), static_cast<Index>(s.heads),
          static_cast<Index>(s.head_size)};
}

/// Computes `out` and `dqkv` with the given functions and compares them with the reference.
void check(reference::AttentionSize const& s, Index scratch_elements, decltype(attention_forward)& forward,
           decltype(attention_backward)& backward) {
  const std::size_t rows = s.batch * s.sequence, columns = s.heads * s.head_size;
  const AttentionSize size = in_space(s);
  const auto qkv = sharp_qkv(rows, columns), gradient = numbers(rows * columns, 2);
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(scratch_elements));
  const Floats in = to_space(qkv), out = poisoned(rows * columns), log_sum = poisoned(rows * s.heads);
  const Floats dout = to_space(gradient), dqkv = poisoned(rows * 3 * columns);
  forward(exec, size, in.data(), out.data(), log_sum.data(), scratch.data());
  backward(exec, size, {in.data(), out.data(), log_sum.data()}, dout.data(), dqkv.data(), scratch.data());
  exec.fence();
  EXPECT_LT(reference::relative_error(to_host(out), reference::attention(s, qkv)), 1e-5);
  EXPECT_LT(reference::relative_error(to_host(dqkv), reference::attention_backward(s, qkv, gradient)), 1e-5);
}

TEST_P(Attention, MatchesTheReference) {
  const auto scratch = attention_scratch(Space().concurrency(), in_space(GetParam()));
  check(GetParam(), scratch, attention_forward, attention_backward);
}

// Tests the code for devices. It also runs on a host.
TEST_P(Attention, InBatchedProductsMatchesTheReference) {
  const auto scratch = batched::attention_scratch(in_space(GetParam()));
  check(GetParam(), scratch, batched::attention_forward, batched::attention_backward);
}

// One token; shorter than a tile; exactly one tile; longer; several tiles of which the last is short; a
// number of heads that threads cannot share evenly; longer than a tile of a device.
INSTANTIATE_TEST_SUITE_P(
    Sizes, Attention,
    testing::Values(reference::AttentionSize{1, 1, 1, 4}, reference::AttentionSize{2, 5, 3, 8},
                    reference::AttentionSize{1, 48, 2, 16}, reference::AttentionSize{1, 64, 2, 16},
                    reference::AttentionSize{2, 65, 5, 12}, reference::AttentionSize{1, 200, 3, 20},
                    reference::AttentionSize{1, 300, 2, 8}));

}  // namespace
}  // namespace ddproxy::kernels
