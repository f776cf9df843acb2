// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

// Causal multi-head attention with fused queries, keys and values (Vaswani et al., arXiv:1706.03762,
// section 3.2). For each sequence and head:
//   P   = softmax(Q K^T / sqrt(D)), taken over the keys up to the query's own position
//   out = P V
// Q, K and V are [T, D] with D = head_size; the scores Q K^T are [T, T]. Memory holds the scores of one tile
// of queries at a time. The backward pass recomputes P from the scores and the logarithm of the softmax's
// denominator, as in Dao et al., FlashAttention, arXiv:2205.14135, section 3.1.

/// Returns the elements of scratch memory that attention_forward() and attention_backward() need in an
/// execution space that runs `concurrency` threads.
Index attention_scratch(Index concurrency, AttentionSize size);

/// Computes attention forward. qkv [B, T, 3C] holds q, k and v side by side; each of them holds its heads
/// side by side. Assigns out [B, T, C] and log_sum [B, H, T], the logarithm of the denominator of each
/// query's softmax. scratch [attention_scratch()] is overwritten.
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);

/// The arrays that attention_forward() read and wrote, kept for attention_backward().
struct AttentionForward {
  float const* qkv;
  float const* out;
  float const* log_sum;
};

/// Computes the gradient of the attention. Reads dout [B, T, C], assigns dqkv [B, T, 3C] in the layout of
/// qkv. scratch [attention_scratch()] is overwritten.
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

// The two implementations, one of which the functions above call. These functions have the meaning and the
// arguments of those above.

/// Attention by strided-batched matrix products over all heads of a sequence. Batches of that size keep a
/// device busy. The functions also give right results on a host. The scratch memory does not depend on the
/// concurrency.
namespace batched {
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);
}  // namespace batched

/// Attention head by head, for hosts only. One thread computes one head and keeps its data in its caches. The
/// heads of a batch keep all cores busy.
namespace heads {
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);
}  // namespace heads

}  // namespace ddproxy::kernels
