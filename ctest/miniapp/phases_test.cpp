// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/phases.hpp"

#include <gtest/gtest.h>

#include "model/statistics/median_interval.hpp"

namespace ddproxy {
namespace {

TEST(Phases, APassTakesTheSumOfItsOperationsOnTheSlowestRank) {
  OperationTimes times{2, 2, 3, {}};  // ranks, operations, samples
  times.seconds = {1, 1, 1, 2, 2, 5, /* rank 1 */ 1, 4, 1, 1, 1, 1};
  EXPECT_EQ(pass_seconds(times), (std::vector<double>{3, 5, 6}));
}

Sample sample(double compute) {
  return {{1, 1}, {1, 1}, {compute, compute - 0.1}, {0, 0}};
}

TEST(Phases, ASharedTComputeOfARoundCountsOnce) {
  const std::vector<std::vector<Sample>> samples{{}, {sample(1), sample(2)}, {sample(1), sample(2)}};
  Config config;
  EXPECT_EQ(sweep_compute(config, samples), (std::vector<double>{1, 2, 1, 2}));
  config.shared_compute = true;
  EXPECT_EQ(sweep_compute(config, samples), (std::vector<double>{1, 2}));
}

Phase phase(std::string name, double middle, double scatter) {
  std::vector<double> compute;
  for (int i = -4; i <= 4; ++i) compute.push_back(middle + scatter * i);
  return {std::move(name), model::median_estimate(compute)};
}

TEST(Phases, ADriftBeyondBothIntervalsIsReportedWithItsSize) {
  const auto said = phase_doubt(phase("layers", 0.100, 0.0001), phase("sweep", 0.108, 0.0001));
  EXPECT_NE(said.find("T_compute changed by +8.0 %: 100 ms in the layers, 108 ms in the sweep"),
            std::string::npos)
      << said;
  EXPECT_NE(phase_doubt(phase("layers", 0.100, 0.0001), phase("sweep", 0.092, 0.0001)).find("-8.0 %"),
            std::string::npos);
}

TEST(Phases, ADriftThatIsSmallOrWithinTheNoiseIsNotReported) {
  EXPECT_EQ(phase_doubt(phase("layers", 0.100, 0.002), phase("sweep", 0.108, 0.002)), "");
  EXPECT_EQ(phase_doubt(phase("layers", 0.100, 0), phase("sweep", 0.1004, 0)), "");
  EXPECT_EQ(phase_doubt({"layers", model::median_estimate({0.1})}, phase("sweep", 0.2, 0)), "")
      << "one sample has no interval";
}

TEST(Phases, TheDriftListsTheMediansOfThePhases) {
  const auto drift = drift_of({{"layers", model::median_estimate({1, 3, 2}), 5},
                               {"calibration", model::median_estimate({4})},
                               {"stopped", model::median_estimate({})}});
  EXPECT_EQ(drift.compute, (std::vector<double>{2, 4}));
  EXPECT_EQ(drift.allreduce, (std::vector<double>{5}));
}

}  // namespace
}  // namespace ddproxy
