// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <thread>

#include "ctest/miniapp/exact_step.hpp"
#include "ctest/model/step/steps.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"
#include "miniapp/collectives/make_lanes.hpp"

// Runs two lanes with blocking MPI calls. Each lane has a thread, so MPI must provide MPI_THREAD_MULTIPLE.
namespace ddproxy {

int mpi_threads_of_test() {
  return MPI_THREAD_MULTIPLE;
}

namespace {

TEST(BlockingLanes, GathersAndReduceScattersRunAtTheSameTime) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI does not provide MPI_THREAD_MULTIPLE";
  const auto ranks = static_cast<std::size_t>(test_runtime->ranks());
  const model::Layers layers{{96, 41, 64, 7}};
  ExactStep exact(model::fsdp_step(layers, {.shards = ranks, .micro_batches = 2}), {.blocking = true});
  for (int run = 0; run < 20; ++run) EXPECT_EQ(exact.run(), 0U);
  EXPECT_NE(exact.lanes()[0]->description().find("blocking"), std::string::npos);
}

// Ranks with different graphs may wait for their lanes in different orders. If a lane began its calls only
// when the compute side waits for this lane, the ranks would wait forever.
TEST(BlockingLanes, RanksMayWaitForLanesInDifferentOrders) {
  if (provided_threads() < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI does not provide MPI_THREAD_MULTIPLE";
  const int rank = test_runtime->rank();
  std::vector<float> memory(20);
  std::vector<std::unique_ptr<CollectiveEngine>> engines;
  for (int lane = 0; lane < 2; ++lane)
    engines.push_back(std::make_unique<MpiEngine>(MPI_COMM_WORLD, memory.data(), 10, 20, WireFormat::fp32,
                                                  MpiCallTable(true)));
  const auto lanes = make_lanes(std::move(engines), {.thread = true}, rank);
  for (int run = 0; run < 10; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the communication threads stop spinning
    for (std::size_t lane = 0; lane < 2; ++lane) {
      lanes[lane]->begin(1);
      lanes[lane]->start_all_reduce({10 * lane, 10}, {Clock::now()});
    }
    for (const int lane : {rank % 2, 1 - rank % 2}) lanes[static_cast<std::size_t>(lane)]->wait_all();
  }
}

}  // namespace
}  // namespace ddproxy
