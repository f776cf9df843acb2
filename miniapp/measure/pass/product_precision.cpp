// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/product_precision.hpp"

#include "kernels/gemm/gemm.hpp"

namespace ddproxy {

void set_product_precision(Precision precision) {
  using kernels::MatrixPrecision;
  switch (precision) {
    case Precision::fp32:
      return kernels::set_matrix_precision(MatrixPrecision::fp32);
    case Precision::tf32:
      return kernels::set_matrix_precision(MatrixPrecision::tf32);
    case Precision::bf16:
      return kernels::set_matrix_precision(MatrixPrecision::bf16);
  }
}

}  // namespace ddproxy
