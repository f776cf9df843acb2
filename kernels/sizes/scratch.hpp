// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ddproxy::kernels {

using Index = std::int64_t;

// The memory that kernels need, in elements of 4 bytes. `concurrency` is the number of threads that an
// execution space runs. These functions need neither Kokkos nor an execution space.

/// Returns the number of parts into which a sum over rows is divided. Each part has its own partial sum.
/// There are enough parts to keep the space busy.
Index row_parts(Index concurrency);

/// Returns the number of elements of scratch memory that row_sum() (kernels/norm/row_sum.hpp) needs for rows
/// of `columns` elements.
Index row_sum_scratch(Index concurrency, Index columns);

/// Returns the number of elements of scratch memory that layernorm_backward() (kernels/norm/layernorm.hpp)
/// needs.
Index layernorm_scratch(Index concurrency, Index columns);

/// Returns the number of elements of scratch memory that rmsnorm_backward() (kernels/norm/rmsnorm.hpp) needs.
Index rmsnorm_scratch(Index concurrency, Index columns);

/// Returns the number of elements of scratch memory that sum_of_squares() (kernels/gradient_norm.hpp) needs.
Index sum_of_squares_scratch(Index concurrency);

/// Returns the number of elements of the table that rope_table() (kernels/attention/rope.hpp) writes: a
/// cosine and a sine for each position and each pair of features of a head (head_size / 2 pairs).
Index rope_table_elements(Index positions, Index head_size);

/// Dimensions of a linear layer: it takes `rows` tokens from `in` features to `out` features.
struct LinearSize {
  Index rows;
  Index in;
  Index out;
};

/// Returns the number of elements of scratch memory that linear_backward() (kernels/linear.hpp) needs. A
/// layer without a bias needs none.
Index linear_scratch(Index concurrency, LinearSize size);

/// Returns `count` rows or columns, rounded up to a multiple of 8. The copies of operands in bf16 are padded
/// to such numbers.
Index padded_for_bf16(Index count);

/// Returns the memory of the copies of operands in bf16, in elements of 4 bytes. All products of a model
/// share this memory (kernels/gemm/rounded_operands.hpp). `layers` are the linear layers, and `head` is the
/// output head.
Index rounded_operands_elements(std::vector<LinearSize> const& layers, LinearSize head);

/// Dimensions of the attention of one layer: B = batch, T = sequence, H = heads, D = head_size, C = H D, G =
/// kv_heads. With G < H, H/G consecutive query heads share the keys and values of one head (grouped-query
/// attention). G must divide H; the caller checks that.
struct AttentionSize {
  Index batch;
  Index sequence;
  Index heads;  ///< number of query heads
  Index head_size;
  Index kv_heads = heads;  ///< number of heads of keys and values
  Index columns() const { return heads * head_size; }
  Index kv_columns() const { return kv_heads * head_size; }
  /// Returns the number of query heads that share one head of keys and values.
  Index group() const { return heads / kv_heads; }
};

namespace batched {

/// Number of queries of each head whose scores are in memory at the same time. Taking all queries at once
/// would double the work, because half of the scores would belong to keys that their query does not see. With
/// few queries there would be many small products: on an H200 the backward pass of GPT-2-large with four
/// sequences of 1024 tokens takes 104 ms with 128 queries, 99 ms with 256 and 97 ms with 512. But 512 queries
/// need twice as much memory as 256.
inline constexpr Index tile_rows = 256;

/// Maximum number of query heads in a batch of products. If one sequence has more heads, a batch consists of
/// one sequence. A device needs many products to be busy: the same backward pass takes 108 ms with batches of
/// 20 heads (one sequence), and 103 ms with batches of 40 heads.
inline constexpr Index heads_at_once = 80;

/// Number of kinds of matrices that the products of attention use (kernels/attention/attention_lists.hpp).
inline constexpr Index operands = 10;

/// Returns how many sequences a batch of products has.
Index sequences_at_once(AttentionSize size);

/// Returns the number of tiles of queries of a sequence.
Index tiles_of(AttentionSize size);

/// Returns the number of elements of scratch memory for the scores of a tile of sequences_at_once()
/// sequences. The memory behind the scores may hold pointers. The number is even, so that this memory is
/// aligned for pointers.
Index scores_elements(AttentionSize size);

/// Returns the number of elements of scratch memory for the lists of the matrices
/// (kernels/attention/attention_lists.hpp).
Index lists_elements(AttentionSize size);

/// Returns the number of elements of scratch memory that the forward or the backward pass needs: the scores
/// of a tile, the gradients of the scores, and the lists.
Index attention_scratch(AttentionSize size);

}  // namespace batched

namespace fused {

/// Returns whether the fused attention has kernels for this size: heads of 64 or 128 features.
bool supports(AttentionSize size);

/// Returns the number of elements of scratch memory for a copy of one array in bf16. The array holds `heads`
/// heads of sequences_at_once() sequences: all query heads, or all heads of keys or of values.
Index copy_elements(AttentionSize size, Index heads);

/// Returns the number of elements of scratch memory that the forward or the backward pass needs: copies of
/// queries, keys, values and gradients of the output, and two numbers for each query. Returns 0 if supports()
/// is false.
Index attention_scratch(AttentionSize size);

}  // namespace fused

/// Returns the number of elements of scratch memory that attention needs on a device. The number does not
/// depend on the precision of products.
Index device_attention_scratch(AttentionSize size);

namespace heads {

/// Number of queries whose scores are in memory at the same time. It is a multiple of every vector length.
/// For vectors of 256 bits it is also a multiple of the columns that a product computes at once. It is small
/// enough that the scores for 1024 keys and the gradients of the scores (together 384 KiB) stay in a
/// second-level cache.
inline constexpr Index tile_queries = 48;

/// Number of floats in the widest vector that the kernels use.
inline constexpr Index widest_vector = 16;

/// Returns `columns` rounded up to a multiple of widest_vector, also on a processor with shorter vectors. So
/// the memory that a run needs does not depend on the processor.
Index padded(Index columns);

/// Returns the number of elements of scratch memory that one thread needs.
Index scratch_of_thread(AttentionSize size);

/// Returns the number of elements of scratch memory that the forward or the backward pass needs.
Index attention_scratch(Index concurrency, AttentionSize size);

}  // namespace heads
}  // namespace ddproxy::kernels
