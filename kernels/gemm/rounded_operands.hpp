// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "kernels/base/bf16.hpp"
#include "kernels/base/types.hpp"
#include "kernels/gemm/gemm.hpp"

namespace ddproxy::kernels {

/// Copies of the operands of products, rounded to bf16 (to nearest, ties to even).
///
/// Memory: one array for each Slot. An array grows to the largest matrix that was rounded into it, and keeps
/// its size until clear(). rounded_operands_elements() (kernels/sizes/scratch.hpp) predicts the memory of all
/// arrays. round() waits for the device only if an array has to grow.
///
/// Padding: rows and columns are filled up with zeros to multiples of 8. The fast kernels of cuBLAS need rows
/// that are aligned to 16 bytes, and an inner dimension that is a multiple of 8. Without padding, cuBLAS
/// chose a slow kernel for the product of GPT-2's head whose inner dimension is the vocabulary, 50257: it
/// took 4.0 ms on an H200 for 0.5 TFLOP.
///
/// Streams: the next round() into a slot overwrites the copy in it, and does not wait for products that still
/// read this copy. So all products must run on one stream.
class RoundedOperands {
 public:
  /// left and right: the operands of one product. kept: the copy that keep_rounded() makes for several
  /// products.
  enum Slot { left, right, kept };

  struct Copy {
    Bf16 const* data;
    Index stride;  ///< elements from one row to the next
  };

  /// Enqueues the rounding of a matrix of `rows` rows and `columns` columns in memory. Returns the copy.
  Copy round(Space const& exec, Slot slot, Index rows, Index columns, Matrix const& m);

  /// Returns memory for a copy, [rows, columns], without gaps between its rows. The caller enqueues the
  /// kernel that assigns it. rows and columns must be multiples of 8.
  Bf16* reserve(Space const& exec, Slot slot, Index rows, Index columns);

  /// Returns the copy that was last made in `slot`.
  Copy last(Slot slot) const { return copies_[slot]; }

  /// Frees the memory.
  void clear();

 private:
  using Memories = Kokkos::View<Bf16*, Memory>;
  Bf16* memory_for(Space const& exec, Slot slot, Index elements);

  std::array<Memories, 3> memories_;
  std::array<Copy, 3> copies_ = {};
};

}  // namespace ddproxy::kernels
