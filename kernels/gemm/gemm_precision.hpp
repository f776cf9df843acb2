// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "kernels/gemm/gemm.hpp"

namespace ddproxy::kernels {

/// Throws std::invalid_argument for every precision except fp32. It is called by the backends that support
/// only fp32.
inline void require_fp32(MatrixPrecision precision) {
  if (precision != MatrixPrecision::fp32)
    throw std::invalid_argument(
        "precision: this build computes matrix products in \"fp32\" only; \"tf32\" and \"bf16\" need a build "
        "for CUDA (cmake --preset cuda-a100)");
}

}  // namespace ddproxy::kernels
