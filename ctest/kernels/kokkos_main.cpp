// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

namespace {

/// Why the default execution space has nothing to run on; null where it has. Asked before Kokkos, which would
/// abort.
char const* why_no_device() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  return status == cudaSuccess && count > 0 ? nullptr : cudaGetErrorString(status);
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  const auto status = hipGetDeviceCount(&count);
  return status == hipSuccess && count > 0 ? nullptr : hipGetErrorString(status);
#else
  return nullptr;
#endif
}

}  // namespace

// Kokkos for as long as the tests run. A program in which no test ran fails; without a device it is skipped.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (char const* const reason = why_no_device()) {
    std::printf("skipped: no device (%s)\n", reason);
    return 77;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int status = RUN_ALL_TESTS();
  return testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 1 : status;
}
