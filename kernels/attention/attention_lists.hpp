// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "kernels/attention/qkv.hpp"

// The lists of pointers from which the batched products of attention take their matrices
// (kernels/attention/attention_batched.cpp). A list has one pointer for each query head of each sequence. The
// places of the heads of several sequences have no constant distance, so gemm_strided_batched() cannot
// describe them.
namespace ddproxy::kernels::batched {

/// A matrix of each head. Its rows are queries or keys.
enum class Operand { q, k, v, out, dout, dq, dk, dv, scores, dscores };
static_assert(static_cast<Index>(Operand::dscores) + 1 == operands);

/// Lists the matrices of each tile of queries. The order within a list: member m of each group of query heads
/// that share keys and values; for each member the sequences; for each sequence the heads of keys and values.
/// So the matrices of one member are consecutive.
///
/// Set the operands first, then call write() once, then use of(). The lists stay valid until the memory is
/// used for something else.
class PointerLists {
 public:
  /// Uses `memory` [lists_elements(size)] of the execution space. It must be aligned like a pointer.
  PointerLists(AttentionSize const& size, float* memory);

  /// Describes the queries or their gradients, keys and values, and out or dout. The arrays begin at the
  /// first sequence of `size`, and `stride` is the number of elements from one token to the next.
  void set_queries(Operand operand, float const* data, Index stride);
  void set_keys(Operand operand, float const* data, Index stride);
  /// Describes scores that lie dense in memory, [sequence, head, query of the tile, key of the tile].
  void set_scores(Operand operand, float const* data);

  /// Enqueues the kernel that writes all lists.
  void write(Space const& exec) const;

  /// Returns the list of an operand for a tile, in the memory of the execution space.
  float* const* of(Operand operand, Index tile) const;
  /// Returns the elements from one row of an operand's matrices to the next, in a tile with `keys` keys.
  Index stride(Operand operand, Index keys) const;

  /// Where the matrices of an operand lie.
  struct Place {
    float* data = nullptr;
    Index stride = 0;
    bool of_queries = false;  ///< the rows are the queries of the tile; otherwise all keys
    bool dense = false;       ///< scores
  };

 private:
  Place& place(Operand operand) { return places_[static_cast<std::size_t>(operand)]; }

  AttentionSize size_;
  float** lists_;
  std::array<Place, static_cast<std::size_t>(operands)> places_;
};

}  // namespace ddproxy::kernels::batched
