// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Dimensions of the scores of one tile of attention, [heads, rows, keys]. `heads` counts the query heads of
/// all sequences of the tile. Row r belongs to the query with the number `first` + r, which sees the keys
/// 0 to `first` + r. The functions below do not read the scores of later keys.
struct TileRows {
  Index heads;
  Index rows;
  Index keys;
  Index first;
  KOKKOS_FUNCTION Index all_rows() const { return heads * rows; }
};

/// Replaces each row of scores by its softmax over the keys that its query sees, and by 0 at the other keys.
/// Assigns log_sum[h * log_sum_step + r], the logarithm of the softmax's denominator of head h and row r.
void softmax_rows(Space const& exec, TileRows tile, float* scores, float* log_sum, Index log_sum_step);

/// The arrays that softmax_rows_backward() needs for each row. dout and out hold rows of head_size elements,
/// `stride` elements apart. The rows of head h of a sequence start h * head_size elements after the rows of
/// its head 0. The rows of a sequence start `sequence_step` elements after the rows of the previous sequence.
struct RowGradients {
  float const* log_sum;
  Index log_sum_step;
  float const* dout;
  float const* out;
  Index stride;
  Index head_size;
  Index heads;  ///< query heads of a sequence
  Index sequence_step;
  float scale;  ///< the factor of the scores, 1 / sqrt(head_size)
  KOKKOS_FUNCTION Index start(Index head, Index row) const {
    return head / heads * sequence_step + head % heads * head_size + row * stride;
  }
};

/// Replaces the scaled scores S in `scores` by P = exp(S - log_sum). Replaces dP in `dscores` by the gradient
/// of the unscaled scores, which is `scale` * P * (dP - sum over d of dout[d] * out[d]); d counts the
/// elements of a row of dout. Both become 0 at the keys that a query does not see. scores and dscores [heads,
/// rows, keys].
void softmax_rows_backward(Space const& exec, TileRows tile, RowGradients rows, float* scores,
                           float* dscores);

}  // namespace ddproxy::kernels
