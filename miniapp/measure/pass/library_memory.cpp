// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/library_memory.hpp"

#include "kernels/gemm/gemm.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {

double device_memory_taken(std::function<void()> const& action) {
  const double before = free_device_memory();
  action();
  return before - free_device_memory();
}

double take_blas_memory() {
  constexpr kernels::Index n = 256;
  const kernels::Floats matrices("operands of the first product", 3 * n * n);
  const kernels::Space exec;
  float* const a = matrices.data();
  return device_memory_taken([&] {
    kernels::gemm(exec, {n, n, n}, 1.0F, {a, n}, {a + n * n, n}, 0.0F, {a + 2 * n * n, n});
    exec.fence("ddproxy: the first product");
  });
}

}  // namespace ddproxy
