// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention.hpp"

// Attention as strided-batched products over all heads of a sequence: what a device is filled by. It is right
// on a host, too.
namespace ddproxy::kernels::batched {

/// Queries of each head whose scores exist at a time. A device needs many to be busy: those of 20 heads are
/// 80 tiles of 128 x 128 scores in each of the strided-batched products, and for 1024 keys 20 MiB; all
/// queries at once would be twice the work, half of it on keys that are not seen.
inline constexpr Index tile_rows = 256;

/// The functions of attention.hpp; every argument as there.
Index attention_scratch(AttentionSize size);
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

}  // namespace ddproxy::kernels::batched
