// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

#include "kernels/gemm.hpp"

namespace ddproxy::kernels {

/// For backends that multiply in fp32 alone.
inline void refuse_tf32(MatrixPrecision precision) {
  if (precision == MatrixPrecision::tf32)
    throw std::invalid_argument(
        "precision \"tf32\": this build's matrix products are in fp32 alone; use \"fp32\", or a build for "
        "CUDA (cmake --preset cuda-a100)");
}

}  // namespace ddproxy::kernels
