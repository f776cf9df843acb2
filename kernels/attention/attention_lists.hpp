// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "kernels/attention/qkv.hpp"

// The lists of pointers from which the batched products of attention take their matrices
// (kernels/attention/attention_batched.cpp). A list has one pointer for each query head of each sequence. The
// heads of several sequences do not lie at a constant distance from each other, so gemm_strided_batched()
// cannot describe them.
namespace ddproxy::kernels::batched {

/// The matrices that each head has. The rows of a matrix are queries or keys.
enum class Operand { q, k, v, out, dout, dq, dk, dv, scores, dscores };
static_assert(static_cast<Index>(Operand::dscores) + 1 == operands);

/// Lists the matrices of each tile of queries. A group consists of the query heads that share keys and
/// values; member m is query head m of a group. A list is sorted by member, then by sequence, then by group.
/// So the matrices of one member are consecutive.
///
/// Set the operands first, then call write() once, then use of(). The lists stay valid until the memory is
/// used for something else.
class PointerLists {
 public:
  /// Uses `memory` [lists_elements(size)] of the execution space. It must be aligned like a pointer.
  PointerLists(AttentionSize const& size, float* memory);

  /// set_queries() describes q, out, dq or dout. set_keys() describes k, v, dk or dv. The arrays begin at the
  /// first sequence of `size`. `stride` is the number of elements from one token to the next.
  void set_queries(Operand operand, float const* data, Index stride);
  void set_keys(Operand operand, float const* data, Index stride);
  /// Describes scores or their gradients, which lie dense in memory, [sequence, head, query of the tile, key
  /// of the tile].
  void set_scores(Operand operand, float const* data);

  /// Enqueues the kernel that writes all lists.
  void write(Space const& exec) const;

  /// Returns the list [batch * heads] of an operand for tile number `tile` (from 0), in the memory of the
  /// execution space.
  float* const* of(Operand operand, Index tile) const;
  /// Returns the number of elements from one row of an operand's matrices to the next row, in a tile with
  /// `keys` keys.
  Index stride(Operand operand, Index keys) const;

  /// Where the matrices of an operand lie.
  struct Place {
    float* data = nullptr;
    Index stride = 0;
    bool of_queries = false;  ///< true: the rows are the queries of the tile; false: all keys
    bool dense = false;       ///< true for scores and their gradients, which have no stride of their own
  };

 private:
  Place& place(Operand operand) { return places_[static_cast<std::size_t>(operand)]; }

  AttentionSize size_;
  float** lists_;
  std::array<Place, static_cast<std::size_t>(operands)> places_;
};

}  // namespace ddproxy::kernels::batched
