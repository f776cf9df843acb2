// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::kernels {

/// Mean and reciprocal standard deviation of each row, kept from the forward pass.
struct RowStatistics {
  float* mean;  ///< [N]
  float* rstd;  ///< [N], 1 / sqrt(variance + layernorm_epsilon)
};

}  // namespace ddproxy::kernels
