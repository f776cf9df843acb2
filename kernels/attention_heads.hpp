// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention.hpp"

// Attention head by head, each on one thread and within its caches: what a host's cores are filled by. Host
// only.
namespace ddproxy::kernels::heads {

/// Queries whose scores exist at a time: whole vectors and, where they are of 256 bits, whole tiles of
/// products, and few enough that their scores for 1024 keys and the scores' gradients stay in a second-level
/// cache.
inline constexpr Index tile_queries = 48;

/// The functions of attention.hpp; every argument as there.
Index attention_scratch(Index concurrency, AttentionSize size);
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

}  // namespace ddproxy::kernels::heads
