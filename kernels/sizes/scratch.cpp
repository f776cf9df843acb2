// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/sizes/scratch.hpp"

#include <algorithm>

namespace ddproxy::kernels {

Index row_parts(Index concurrency) {
  constexpr Index most_parts = 256;
  return std::min(concurrency, most_parts);
}

Index row_sum_scratch(Index concurrency, Index columns) {
  return row_parts(concurrency) * columns;
}

// The scratch memory holds the partial sums of the gradients of weight and bias.
Index layernorm_scratch(Index concurrency, Index columns) {
  return 2 * row_sum_scratch(concurrency, columns);
}

// The scratch memory holds the partial sums of the gradient of the weight.
Index rmsnorm_scratch(Index concurrency, Index columns) {
  return row_sum_scratch(concurrency, columns);
}

Index sum_of_squares_scratch(Index concurrency) {
  constexpr Index elements_of_a_double = 2;
  return elements_of_a_double * row_parts(concurrency);
}

Index rope_table_elements(Index positions, Index head_size) {
  return positions * head_size;
}

// The scratch memory holds the partial sums of the gradient of the bias.
Index linear_scratch(Index concurrency, LinearSize size) {
  return row_sum_scratch(concurrency, size.out);
}

Index padded_for_bf16(Index count) {
  constexpr Index elements_of_16_bytes = 8;
  return (count + elements_of_16_bytes - 1) / elements_of_16_bytes * elements_of_16_bytes;
}

// left, right and kept are the slots of RoundedOperands (kernels/gemm/rounded_operands.hpp). The products of
// a linear layer are x (left) times the weight (right), x (left) times dy (kept), and dy (kept) times the
// weight (right). The products of the head are x (left) times the table (right), dlogits (kept) times x
// (right), and dlogits (kept) times the table (right).
Index rounded_operands_elements(std::vector<LinearSize> const& layers, LinearSize head) {
  const auto padded = [](Index rows, Index columns) {
    return padded_for_bf16(rows) * padded_for_bf16(columns);
  };
  Index left = padded(head.rows, head.in), kept = padded(head.rows, head.out);
  Index right = std::max(left, padded(head.out, head.in));
  for (auto const& size : layers) {
    left = std::max(left, padded(size.rows, size.in));
    right = std::max(right, padded(size.in, size.out));
    kept = std::max(kept, padded(size.rows, size.out));
  }
  return (left + right + kept) / 2;
}

Index batched::sequences_at_once(AttentionSize size) {
  return std::clamp<Index>(heads_at_once / size.heads, 1, size.batch);
}

Index batched::tiles_of(AttentionSize size) {
  return (size.sequence + tile_rows - 1) / tile_rows;
}

Index batched::scores_elements(AttentionSize size) {
  const Index elements =
      sequences_at_once(size) * size.heads * std::min(tile_rows, size.sequence) * size.sequence;
  return elements + elements % 2;
}

Index batched::lists_elements(AttentionSize size) {
  constexpr Index elements_of_a_pointer = 2;
  return elements_of_a_pointer * tiles_of(size) * operands * sequences_at_once(size) * size.heads;
}

Index batched::attention_scratch(AttentionSize size) {
  return 2 * scores_elements(size) + lists_elements(size);
}

bool fused::supports(AttentionSize size) {
  return size.head_size == 64 || size.head_size == 128;
}

Index fused::copy_elements(AttentionSize size, Index heads) {
  return batched::sequences_at_once(size) * heads * size.sequence * size.head_size / 2;
}

Index fused::attention_scratch(AttentionSize size) {
  if (!supports(size)) return 0;
  return 2 * copy_elements(size, size.heads) + 2 * copy_elements(size, size.kv_heads) +
         2 * batched::sequences_at_once(size) * size.heads * size.sequence;
}

Index device_attention_scratch(AttentionSize size) {
  return std::max(batched::attention_scratch(size), fused::attention_scratch(size));
}

Index heads::padded(Index columns) {
  return (columns + widest_vector - 1) / widest_vector * widest_vector;
}

Index heads::scratch_of_thread(AttentionSize size) {
  return (4 * size.sequence + 2 * tile_queries) * padded(size.head_size) + 2 * size.sequence * tile_queries +
         size.head_size * tile_queries;
}

Index heads::attention_scratch(Index concurrency, AttentionSize size) {
  return std::min(concurrency, size.batch * size.heads) * scratch_of_thread(size);
}

}  // namespace ddproxy::kernels
