// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention.hpp"

// Attention head by head, for hosts only. One thread computes one head and keeps its data in its caches. The
// heads of a batch keep all cores busy.
namespace ddproxy::kernels::heads {

/// Queries whose scores are in memory at the same time. The number is a multiple of every vector length and,
/// for vectors of 256 bits, of the width of a product's tile. It is small enough that the scores for 1024
/// keys and the gradients of the scores (together 384 KiB) stay in a second-level cache.
inline constexpr Index tile_queries = 48;

/// These functions have the meaning and the arguments of those in attention.hpp.
Index attention_scratch(Index concurrency, AttentionSize size);
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

}  // namespace ddproxy::kernels::heads
