// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>

#include "ctest/mpi_main.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {
Runtime const* test_runtime = nullptr;
[[gnu::weak]] int mpi_threads_of_test() {
  return MPI_THREAD_SERIALIZED;
}
}  // namespace ddproxy

namespace {

// Returns the exit code of this rank: 77 if all tests were skipped, 1 if no test ran, else `status`.
int judge(int status) {
  auto const& all = *testing::UnitTest::GetInstance();
  if (all.test_to_run_count() == 0) return 1;
  return status == 0 && all.skipped_test_count() == all.test_to_run_count() ? 77 : status;
}

}  // namespace

// Runs all tests on all ranks. Several ranks may share a device. The run fails if a test fails on any rank,
// or if no test ran. If no rank failed and a rank skipped all its tests, the exit code is 77 (skipped). In a
// build for a device, all tests are skipped if there is no device.
int main(int argc, char** argv) {
  std::string reason;
  if (ddproxy::on_device && ddproxy::count_devices(reason) == 0) {
    std::printf("skipped: no device (%s)\n", reason.c_str());
    return 77;
  }
  const auto wish = ddproxy::find_wish(
      0, 0, [](char const* name) { return std::getenv(name); }, [](char const*) { return false; });
  const ddproxy::Runtime runtime(
      argc, argv, {.share_device = true, .wish = wish, .mpi_threads = ddproxy::mpi_threads_of_test()});
  ddproxy::test_runtime = &runtime;
  testing::InitGoogleTest(&argc, argv);
  const int code = judge(RUN_ALL_TESTS());
  const bool failed = runtime.maximum(code == 77 ? 0 : code) > 0;
  return failed ? 1 : static_cast<int>(runtime.maximum(code));
}
