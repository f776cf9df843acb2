// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention.hpp"

// Attention by strided-batched matrix products over all heads of a sequence. Batches of that size keep a
// device busy. The functions also give right results on a host.
namespace ddproxy::kernels::batched {

/// Queries of each head whose scores are in memory at the same time. A device needs many queries to be busy:
/// with 20 heads, the smallest strided-batched product of scores (256 keys) has 80 tiles of 128 x 128. The
/// scores of 20 heads for 1024 keys take 20 MiB. Taking all queries at once would double the work, because
/// half of the scores would belong to keys that their query does not see.
inline constexpr Index tile_rows = 256;

/// These functions have the meaning and the arguments of those in attention.hpp. The scratch memory does not
/// depend on the concurrency.
Index attention_scratch(AttentionSize size);
void attention_forward(Space const& exec, AttentionSize size, float const* qkv, float* out, float* log_sum,
                       float* scratch);
void attention_backward(Space const& exec, AttentionSize size, AttentionForward kept, float const* dout,
                        float* dqkv, float* scratch);

}  // namespace ddproxy::kernels::batched
