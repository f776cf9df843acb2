// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

namespace {

/// Whether the default execution space has something to run on; asked before Kokkos, which would abort.
bool has_device() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess && count > 0;
#else
  return true;
#endif
}

}  // namespace

// Kokkos for as long as the tests run. A program in which no test ran fails; without a device it is skipped.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!has_device()) {
    std::puts("skipped: no device");
    return 77;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int status = RUN_ALL_TESTS();
  return testing::UnitTest::GetInstance()->test_to_run_count() == 0 ? 1 : status;
}
