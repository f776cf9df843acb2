// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/attention.hpp"

#include <gtest/gtest.h>

#include "compare.hpp"
#include "device.hpp"
#include "kernels/gemm/gemm.hpp"
#include "reference.hpp"

namespace ddproxy::kernels {
namespace {

class Attention : public testing::TestWithParam<reference::AttentionSize> {};

/// Returns inputs whose queries and keys are larger than the values, so that the softmax is far from uniform.
std::vector<double> sharp_qkv(reference::AttentionSize const& s) {
  const std::size_t row = (s.heads + 2 * s.kv_heads) * s.head_size,
                    sharp = (s.heads + s.kv_heads) * s.head_size;
  auto qkv = numbers(s.batch * s.sequence * row, 1);
  for (std::size_t i = 0; i < qkv.size(); ++i)
    if (i % row < sharp) qkv[i] *= 2;
  return qkv;
}

AttentionSize in_space(reference::AttentionSize const& s) {
  return {static_cast<Index>(s.batch), static_cast<Index>(s.sequence), static_cast<Index>(s.heads),
          static_cast<Index>(s.head_size), static_cast<Index>(s.kv_heads)};
}

/// Returns `count` columns of each row of `x`, from column `first` on. A row has `row` elements.
template <class Float>
std::vector<Float> columns_of(std::vector<Float> const& x, std::size_t row, std::size_t first,
                              std::size_t count) {
  std::vector<Float> part;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i % row >= first && i % row < first + count) part.push_back(x[i]);
  return part;
}

using Forward = void (*)(Space const&, AttentionSize, ConstQkv const&, float*, float*, float*);
using Backward = void (*)(Space const&, AttentionSize, AttentionKept const&, float const*, Qkv const&,
                          float*);

struct Kernels {
  Index scratch_elements;
  Forward forward;
  Backward backward;
};

Kernels chosen(reference::AttentionSize const& s) {
  return {attention_scratch(Space().concurrency(), in_space(s)), attention_forward, attention_backward};
}

Kernels in_batches(reference::AttentionSize const& s) {
  return {batched::attention_scratch(in_space(s)), batched::attention_forward, batched::attention_backward};
}

/// The arrays that attention assigns.
struct Outputs {
  Floats out, dqkv;
};

/// Runs the forward and the backward kernel with packed memory: q, k and v of a token are one row of `qkv`.
Outputs packed(reference::AttentionSize const& s, Kernels const& kernels, std::vector<double> const& qkv,
               std::vector<double> const& gradient) {
  const AttentionSize size = in_space(s);
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(kernels.scratch_elements));
  const Floats in = to_space(qkv), log_sum = poisoned(s.batch * s.sequence * s.heads);
  const Floats dout = to_space(gradient), out = poisoned(gradient.size()), dqkv = poisoned(qkv.size());
  const ConstQkv all = as_const(packed_qkv(size, in.data()));
  kernels.forward(exec, size, all, out.data(), log_sum.data(), scratch.data());
  kernels.backward(exec, size, {all, out.data(), log_sum.data()}, dout.data(), packed_qkv(size, dqkv.data()),
                   scratch.data());
  exec.fence();
  return {out, dqkv};
}

/// Runs the given kernels and compares their results with the reference.
void check(reference::AttentionSize const& s, Kernels const& kernels, double tolerance = 1e-5) {
  const auto qkv = sharp_qkv(s), gradient = numbers(s.batch * s.sequence * s.heads * s.head_size, 2);
  const auto [out, dqkv] = packed(s, kernels, qkv, gradient);
  EXPECT_LT(reference::relative_error(to_host(out), reference::attention(s, qkv)), tolerance);
  EXPECT_LT(reference::relative_error(to_host(dqkv), reference::attention_backward(s, qkv, gradient)),
            tolerance);
}

TEST_P(Attention, MatchesTheReference) {
  check(GetParam(), chosen(GetParam()));
}

// Tests the code for devices. It also runs on a host.
TEST_P(Attention, InBatchedProductsMatchesTheReference) {
  check(GetParam(), in_batches(GetParam()));
}

/// Separate q, k and v, or their gradients.
struct Separate {
  Floats q, k, v;
  Qkv view(AttentionSize const& size) const { return separate_qkv(size, q.data(), k.data(), v.data()); }
};

double difference(Floats const& got, std::vector<float> const& expected) {
  return reference::relative_error(to_host(got), std::vector<double>(expected.begin(), expected.end()));
}

/// Runs the kernels with separate arrays and compares the results with those of packed memory.
void expect_the_same_separate(reference::AttentionSize const& s, Kernels const& kernels, double tolerance) {
  const std::size_t c = s.heads * s.head_size, kv = s.kv_heads * s.head_size, row = c + 2 * kv;
  const auto qkv = sharp_qkv(s), gradient = numbers(s.batch * s.sequence * c, 2);
  const AttentionSize size = in_space(s);
  const Space exec;
  const Floats scratch = poisoned(static_cast<std::size_t>(kernels.scratch_elements));
  const Separate in{to_space(columns_of(qkv, row, 0, c)), to_space(columns_of(qkv, row, c, kv)),
                    to_space(columns_of(qkv, row, c + kv, kv))};
  const Separate d{poisoned(in.q.size()), poisoned(in.k.size()), poisoned(in.v.size())};
  const Floats out = poisoned(gradient.size()), log_sum = poisoned(s.batch * s.sequence * s.heads);
  const Floats dout = to_space(gradient);
  const ConstQkv all = as_const(in.view(size));
  kernels.forward(exec, size, all, out.data(), log_sum.data(), scratch.data());
  kernels.backward(exec, size, {all, out.data(), log_sum.data()}, dout.data(), d.view(size), scratch.data());
  exec.fence();
  const Outputs expected = packed(s, kernels, qkv, gradient);
  const auto dqkv = to_host(expected.dqkv);
  EXPECT_LE(difference(out, to_host(expected.out)), tolerance);
  EXPECT_LE(difference(d.q, columns_of(dqkv, row, 0, c)), tolerance);
  EXPECT_LE(difference(d.k, columns_of(dqkv, row, c, kv)), tolerance);
  EXPECT_LE(difference(d.v, columns_of(dqkv, row, c + kv, kv)), tolerance);
}

// Tolerance for products by BLAS, which may add in another order if the stride changes. On a host attention
// computes head by head, without BLAS, and gives the same bits.
constexpr double of_blas = 2e-6;

TEST_P(Attention, SeparateArraysGiveTheResultsOfPackedMemory) {
  expect_the_same_separate(GetParam(), chosen(GetParam()), on_device ? of_blas : 0);
}

TEST_P(Attention, SeparateArraysInBatchedProductsGiveTheResultsOfPackedMemory) {
  expect_the_same_separate(GetParam(), in_batches(GetParam()), of_blas);
}

// The sizes, in this order: a sequence of one token; a sequence shorter than a host's tile of 48 queries; one
// of exactly one tile; one that is longer; two tiles, the last of which is short; a number of heads that two
// threads cannot share evenly; a sequence longer than a device's tile of 256 queries. The last size needs two
// batches of products on a device: one has two sequences, the other has the third.
INSTANTIATE_TEST_SUITE_P(
    Sizes, Attention,
    testing::Values(reference::AttentionSize{1, 1, 1, 4}, reference::AttentionSize{2, 5, 3, 8},
                    reference::AttentionSize{1, 48, 2, 16}, reference::AttentionSize{1, 64, 2, 16},
                    reference::AttentionSize{2, 65, 5, 12}, reference::AttentionSize{1, 200, 3, 20},
                    reference::AttentionSize{1, 300, 2, 8}, reference::AttentionSize{3, 140, 40, 4}));

// Query heads that share keys and values: one head of keys; a number of groups that threads cannot share
// evenly; several tiles of a host; longer than a tile of a device; a group that begins on one thread and ends
// on another; two batches of products on a device.
INSTANTIATE_TEST_SUITE_P(
    Groups, Attention,
    testing::Values(reference::AttentionSize{1, 1, 2, 4, 1}, reference::AttentionSize{2, 5, 4, 8, 1},
                    reference::AttentionSize{1, 48, 6, 16, 3}, reference::AttentionSize{2, 65, 6, 12, 2},
                    reference::AttentionSize{1, 300, 4, 8, 2}, reference::AttentionSize{1, 100, 6, 10, 1},
                    reference::AttentionSize{3, 140, 40, 4, 20}));

#if defined(KOKKOS_ENABLE_CUDA)

class FusedAttention : public testing::TestWithParam<reference::AttentionSize> {};

Kernels in_fused_kernels(reference::AttentionSize const& s) {
  return {fused::attention_scratch(in_space(s)), fused::attention_forward, fused::attention_backward};
}

TEST_P(FusedAttention, MatchesTheReference) {
  check(GetParam(), in_fused_kernels(GetParam()),
        2e-2);  // the inputs and the probabilities are rounded to bf16
}

TEST_P(FusedAttention, SeparateArraysGiveTheResultsOfPackedMemory) {
  expect_the_same_separate(GetParam(), in_fused_kernels(GetParam()), 0);
}

TEST_P(FusedAttention, IsUsedIfProductsRunInBf16) {
  auto const& s = GetParam();
  const auto qkv = sharp_qkv(s), gradient = numbers(s.batch * s.sequence * s.heads * s.head_size, 2);
  const Outputs own = packed(s, in_fused_kernels(s), qkv, gradient),
                of_fp32 = packed(s, chosen(s), qkv, gradient);
  set_matrix_precision(MatrixPrecision::bf16);
  const Outputs of_bf16 = packed(s, chosen(s), qkv, gradient);
  set_matrix_precision(MatrixPrecision::fp32);
  EXPECT_EQ(to_host(of_bf16.out), to_host(own.out));
  EXPECT_EQ(to_host(of_bf16.dqkv), to_host(own.dqkv));
  if (s.sequence > 1) EXPECT_NE(to_host(of_fp32.dqkv), to_host(own.dqkv));
}

// A tile has 64 queries or keys. With heads of 64 features the sizes are, in this order: a sequence of one
// token; a part of a tile; exactly one tile; several tiles, the last of which is short; two groups of
// sequences; query heads that share keys and values. With heads of 128 features: one token; two tiles, the
// last of which is short; three whole tiles and one head of keys and values; several tiles, and as many heads
// of keys as of queries.
INSTANTIATE_TEST_SUITE_P(
    Sizes, FusedAttention,
    testing::Values(reference::AttentionSize{1, 1, 1, 64}, reference::AttentionSize{2, 37, 3, 64},
                    reference::AttentionSize{1, 64, 2, 64}, reference::AttentionSize{2, 200, 2, 64},
                    reference::AttentionSize{3, 70, 40, 64}, reference::AttentionSize{1, 150, 6, 64, 2},
                    reference::AttentionSize{1, 1, 1, 128}, reference::AttentionSize{2, 97, 2, 128},
                    reference::AttentionSize{1, 192, 4, 128, 1},
                    reference::AttentionSize{1, 300, 2, 128, 2}));

#endif

}  // namespace
}  // namespace ddproxy::kernels
