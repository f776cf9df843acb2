// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/foreign_call.hpp"

#include <stdexcept>
#include <string>

#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

#if defined(KOKKOS_ENABLE_CUDA)

void check_launches() {
  if (!Kokkos::is_initialized()) return;
  if (const auto status = cudaGetLastError(); status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: an earlier call failed: ") + cudaGetErrorString(status));
}

void forget_foreign_error() {
  (void)cudaGetLastError();
}

#elif defined(KOKKOS_ENABLE_HIP)

void check_launches() {
  if (!Kokkos::is_initialized()) return;
  if (const auto status = hipGetLastError(); status != hipSuccess)
    throw std::runtime_error(std::string("HIP: an earlier call failed: ") + hipGetErrorString(status));
}

void forget_foreign_error() {
  (void)hipGetLastError();
}

#else

void check_launches() {}
void forget_foreign_error() {}

#endif

}  // namespace ddproxy::kernels
