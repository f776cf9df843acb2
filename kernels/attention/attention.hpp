// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/qkv.hpp"

namespace ddproxy::kernels {

// Causal multi-head attention (Vaswani et al., arXiv:1706.03762, section 3.2). For each sequence and head:
//   P   = softmax(Q K^T / sqrt(D)), taken over the keys up to the query's own position
//   out = P V
// Q, K and V are [T, D]; the scores Q K^T are [T, T]. B = batch, T = sequence, H = heads, D = head_size,
// C = H D, G = kv_heads. Memory holds the scores of one tile of queries at a time, or no scores (namespace
// fused). The backward pass recomputes P from the scores and the logarithm of the softmax's denominator, as
// in Dao et al., FlashAttention, arXiv:2205.14135, section 3.1.
//
// With kv_heads < heads several query heads share the keys and values of one head (grouped-query attention,
// Ainslie et al., arXiv:2305.13245, section 2.2). Query head h uses the keys and values of head
// h / (heads / kv_heads). The gradients of keys and values are the sums over the query heads that use them.

/// Returns how many floats of scratch memory attention_forward() and attention_backward() need in an
/// execution space that runs `concurrency` threads.
Index attention_scratch(Index concurrency, AttentionSize size);

/// Computes the forward pass of attention. Reads queries, keys and values. Assigns out [B, T, C] and log_sum
/// [B, H, T], the logarithm of the denominator of each query's softmax. scratch [attention_scratch()] is
/// overwritten; on a device it must be aligned to 16 bytes.
void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch);

/// The arrays that attention_forward() read and wrote, kept for attention_backward().
struct AttentionKept {
  ConstQkv qkv;
  float const* out;
  float const* log_sum;
};

/// Computes the gradient of the attention. Reads dout [B, T, C], assigns the gradients of queries, keys and
/// values. scratch is as in attention_forward(). On a host one thread computes all query heads that share
/// keys and values: at most batch x kv_heads threads have work.
void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch);

// The implementations. In a build for a host, the functions above call those of `heads`. In a build for a
// device they call those of `fused` on three conditions: products run in bf16, fused::supports(size) is true,
// and the device is a CUDA device of compute capability 8.0 or later. Otherwise they call those of `batched`.
// The functions of all namespaces take the same arguments and compute the same results as the functions
// above.

/// Attention by batched matrix products. One BLAS call computes a product for each head of several sequences,
/// for one tile of queries, because a device needs many products to be busy. If query heads share keys and
/// values, the gradients of keys and values take one call for each query head of a group. The functions also
/// give correct results on a host. The scratch memory does not depend on the concurrency.
namespace batched {
void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch);
}  // namespace batched

/// Fused attention, for CUDA devices of compute capability 8.0 and later only. For each group of
/// sequences, two kernels round the operands to bf16 (three in the backward pass). Then one kernel computes
/// the forward pass, or two kernels compute the backward pass. Scores stay in registers. Probabilities are
/// rounded to bf16, too, and sums are in fp32. supports(size) (kernels/sizes/scratch.hpp) must be true.
/// scratch must be aligned to 16 bytes.
namespace fused {
void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch);
}  // namespace fused

/// Attention head by head, for hosts only. One thread computes one head at a time and keeps its data in its
/// caches. All cores have work in the forward pass if heads x sequences is at least the number of cores. In
/// the backward pass one thread computes a whole group of query heads. So there kv_heads x sequences must be
/// at least the number of cores.
namespace heads {
void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch);
}  // namespace heads

}  // namespace ddproxy::kernels
