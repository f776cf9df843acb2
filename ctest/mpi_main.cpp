// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include "ctest/mpi_main.hpp"

namespace ddproxy {
Runtime const* test_runtime = nullptr;
}

// All ranks run all tests; one failing rank fails the run. A program in which no test ran fails.
int main(int argc, char** argv) {
  const ddproxy::Runtime runtime(argc, argv);
  ddproxy::test_runtime = &runtime;
  testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  const bool none = testing::UnitTest::GetInstance()->test_to_run_count() == 0;
  return static_cast<int>(runtime.maximum(none ? 1 : status));
}
