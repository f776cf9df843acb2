// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

namespace {

/// Returns why the default execution space cannot run, or null if it can. Call it before Kokkos starts:
/// without a device Kokkos would abort.
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

// Starts Kokkos and runs the tests. Fails if no test ran. Skips all tests if a needed device is missing.
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
