// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// The queries, keys and values of one layer, or their gradients. Does not own the memory. The heads of one
/// token lie side by side. Token t of sequence b has its queries at q + (b T + t) q_stride, its keys at k +
/// (b T + t) kv_stride, and its values at v + (b T + t) kv_stride. So one struct describes GPT-2's packed
/// array and the separate arrays of a Llama model.
template <class Float>
struct BasicQkv {
  Float* q;         ///< [B, T, H, D]
  Float* k;         ///< [B, T, G, D], G = kv_heads
  Float* v;         ///< [B, T, G, D]
  Index q_stride;   ///< elements from the queries of one token to those of the next, at least H D
  Index kv_stride;  ///< elements from the keys (or values) of one token to those of the next, at least G D
};

using Qkv = BasicQkv<float>;
using ConstQkv = BasicQkv<float const>;

/// Describes a packed array: qkv [B, T, (H + 2 G) D] holds q, k and v of each token side by side.
template <class Float>
BasicQkv<Float> packed_qkv(AttentionSize const& size, Float* qkv) {
  const Index stride = size.columns() + 2 * size.kv_columns();
  return {qkv, qkv + size.columns(), qkv + size.columns() + size.kv_columns(), stride, stride};
}

/// Describes separate, dense arrays: q [B, T, H D], k and v [B, T, G D].
template <class Float>
BasicQkv<Float> separate_qkv(AttentionSize const& size, Float* q, Float* k, Float* v) {
  return {q, k, v, size.columns(), size.kv_columns()};
}

/// Returns the same memory, to be read only.
inline ConstQkv as_const(Qkv const& m) {
  return {m.q, m.k, m.v, m.q_stride, m.kv_stride};
}

}  // namespace ddproxy::kernels
