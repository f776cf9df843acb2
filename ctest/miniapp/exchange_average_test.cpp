// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/exchange_average.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/engines/mpi_engine.hpp"

namespace ddproxy {
namespace {

// Returns a number that differs between the ranks. Averages of such numbers have rounding errors.
float value(int rank, int element) {
  return 1.0F / static_cast<float>(3 + rank + element % 101);
}

std::vector<float> values_of(int rank, int count) {
  std::vector<float> values(static_cast<std::size_t>(count) + 1, -1);  // the last one is beyond the message
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = value(rank, i);
  return values;
}

void expect_averages(std::vector<float> const& values, int count) {
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(values[static_cast<std::size_t>(i)], (value(0, i) + value(1, i)) * 0.5F) << "element " << i;
  EXPECT_EQ(values.back(), -1) << "beyond the message";
}

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

TEST(ExchangeAverage, BothRanksHaveTheAverageOfEachElement) {
  for (const int count : {0, 1, 2, 3, 1000, 1001, 70001}) {
    std::vector<float> values = values_of(own_rank(), count);
    std::vector<float> scratch(static_cast<std::size_t>(count / 2 + 1));
    AverageExchange exchange;
    exchange.begin(values.data(), count, scratch.data(), MPI_COMM_WORLD);
    exchange.wait();
    expect_averages(values, count);
  }
}

TEST(ExchangeAverage, TestCompletesTheAverageWithoutBlocking) {
  AverageExchange exchange;
  for (const int count : {0, 1, 1001, 70001}) {
    std::vector<float> values = values_of(own_rank(), count);
    std::vector<float> scratch(static_cast<std::size_t>(count / 2 + 1));
    exchange.begin(values.data(), count, scratch.data(), MPI_COMM_WORLD);
    while (!exchange.test()) {
    }
    EXPECT_FALSE(exchange.is_open());
    expect_averages(values, count);
  }
}

// Rank 1 begins only when rank 0 has tested its exchange. So a test() that waits for rank 1 hangs.
TEST(ExchangeAverage, TestReturnsWhileTheOtherRankHasNotBegun) {
  constexpr int count = 70001;
  std::vector<float> values = values_of(own_rank(), count), scratch(count / 2 + 1);
  AverageExchange exchange;
  if (own_rank() == 1) MPI_Barrier(MPI_COMM_WORLD);
  exchange.begin(values.data(), count, scratch.data(), MPI_COMM_WORLD);
  if (own_rank() == 0) {
    EXPECT_FALSE(exchange.test());
    EXPECT_TRUE(exchange.is_open());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  exchange.wait();
  expect_averages(values, count);
}

// With MPICH the first two pieces go through an AverageExchange, and the third through MPI_Allreduce or
// MPI_Iallreduce. With other MPI libraries all go through these functions.
TEST(ExchangeAverage, TheEngineAveragesLongAndShortPiecesExactly) {
  constexpr int count = 132575;  // pieces of 256, 256 and 6 KiB
  for (const bool blocking : {true, false}) {
    std::vector<float> values = values_of(own_rank(), count);
    MpiEngine engine(MPI_COMM_WORLD, values.data(), 65536, 60, WireFormat::fp32, MpiCallTable(blocking));
    engine.begin(all_reduce({0, count}), {});
    engine.wait(0, [] { return true; });
    expect_averages(values, count);
  }
}

}  // namespace
}  // namespace ddproxy
