// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "ctest/miniapp/exact_step.hpp"
#include "ctest/model/step/steps.hpp"

// Runs two lanes with blocking calls. Each lane has a thread, so MPI must provide MPI_THREAD_MULTIPLE.
namespace ddproxy {

int mpi_threads_of_test() {
  return MPI_THREAD_MULTIPLE;
}

namespace {

TEST(BlockingLanes, GathersAndReduceScattersRunBesideEachOther) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI does not provide MPI_THREAD_MULTIPLE";
  const auto ranks = static_cast<std::size_t>(test_runtime->ranks());
  const model::Layers layers{{96, 41, 64, 7}};
  ExactStep exact(model::fsdp_step(layers, {.shards = ranks, .micro_batches = 2}), {.blocking = true});
  for (int run = 0; run < 20; ++run) EXPECT_EQ(exact.run(), 0U);
  EXPECT_NE(exact.lanes()[0]->description().find("blocking"), std::string::npos);
}

}  // namespace
}  // namespace ddproxy
