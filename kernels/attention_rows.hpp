// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Scores of a tile of attention, [heads, rows, keys]: row r belongs to query `first` + r and sees the keys 0
/// to first + r; what stands at later keys is never read.
struct TileRows {
  Index heads;
  Index rows;
  Index keys;
  Index first;
};

/// Replaces the scores by their softmax, 0 at the keys that a query does not see; log_sum of head h and row
/// r, assigned, stands at h * log_sum_step + r.
void softmax_rows(Space const& exec, TileRows tile, float* scores, float* log_sum, Index log_sum_step);

/// What the gradient of a tile's scores needs of each row; head h's rows of dout and out start h * head_size
/// on.
struct RowGradients {
  float const* log_sum;
  Index log_sum_step;
  float const* dout;
  float const* out;
  Index stride;
  Index head_size;
  float scale;  ///< of the scores
};

/// Replaces the scores S by P = exp(S - log_sum) and dP, in `dscores`, by the gradient of the unscaled
/// scores, scale P (dP - sum of dout out); both 0 at the keys that a query does not see.
void softmax_rows_backward(Space const& exec, TileRows tile, RowGradients rows, float* scores,
                           float* dscores);

}  // namespace ddproxy::kernels
