// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

// Causal multi-head attention from the fused qkv: P = softmax(Q K^T / sqrt(D)) over the keys up to the
// query's own position, out = P V, for each sequence and head (Vaswani et al., arXiv:1706.03762,
// section 3.2). The scores exist for one tile of queries at a time; backward recomputes them
// from the logarithm of their sums, as in Dao et al., FlashAttention, arXiv:2205.14135, section 3.1.

/// C = heads * head_size.
struct AttentionSize {
  Index batch;
  Index sequence;
  Index heads;
  Index head_size;
  Index columns() const { return heads * head_size; }
};

/// Elements of scratch memory that forward and backward need in a space of that concurrency.
Index attention_scratch(Index concurrency, AttentionSize size);

/// qkv [B, T, 3C] (q, k, v side by side, each head after head), out [B, T, C] assigned, log_sum [B, H, T]
/// assigned: the logarithm of each softmax's denominator.
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);

/// What attention_forward read and wrote.
struct AttentionForward {
  float const* qkv;
  float const* out;
  float const* log_sum;
};

/// dout [B, T, C], dqkv [B, T, 3C] assigned.
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

}  // namespace ddproxy::kernels
