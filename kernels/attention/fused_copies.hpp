// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/attention.hpp"
#include "kernels/base/bf16.hpp"

// The inputs of the fused attention, in the form in which its kernels read them: rounded to bf16, and each
// head's rows side by side. The kernels read an input many times, so it is faster to round it once, before
// they start.
namespace ddproxy::kernels::fused {

/// The two numbers that the backward pass needs for each query besides the query's vectors.
struct QueryRow {
  float log_sum;  ///< log2 of the denominator of the softmax
  float product;  ///< sum over d of dout[d] out[d]
};

/// Copies of the inputs of one group of sequences, in scratch memory. The vectors are [sequence, head, token,
/// D].
struct Copies {
  Bf16 *q, *k, *v;
  Bf16* dout;
  QueryRow* rows;  ///< [sequence, query head, token]

  /// Divides `scratch` [attention_scratch(size)] among the arrays. It must be aligned to 16 bytes.
  Copies(AttentionSize size, float* scratch);
};

/// Assigns the copies of queries, keys and values of the `size.batch` sequences at `qkv`.
void copy_inputs(Space const& exec, AttentionSize size, ConstQkv const& qkv, Copies const& to);

/// Assigns the copies of dout, and the QueryRows. `out` and `dout` are [sequence, token, head, D], and
/// log_sum is [sequence, head, token], the natural logarithm.
void copy_gradients(Space const& exec, AttentionSize size, float const* out, float const* log_sum,
                    float const* dout, Copies const& to);

}  // namespace ddproxy::kernels::fused
