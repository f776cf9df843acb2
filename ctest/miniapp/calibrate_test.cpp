// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include "model/predict/timeline.hpp"

namespace ddproxy {
namespace {

// The fluid simulation of the model predicts the times of a contention run, which is one bucket that is ready
// at once. The calibration must recover kappa and gamma from these times.
TEST(Contention, IsRecoveredFromTheTimesThatTheModelPredicts) {
  for (double kappa : {0.3, 0.8, 1.0})
    for (double gamma : {0.4, 1.0})
      for (double collective : {0.5, 1.0, 3.0}) {
        const std::vector<double> ready{0.0};
        const model::Plan plan{{0, 0, 4, 0}};
        const auto timeline =
            model::simulate(ready, 1.0, plan, [=](std::int64_t) { return collective; }, {kappa, gamma});
        const auto found = speeds_of(1.0, collective, timeline.backward_end, timeline.buckets[0].end);
        EXPECT_NEAR(found.kappa, kappa, 1e-9) << collective;
        EXPECT_NEAR(found.gamma, gamma, 1e-9) << collective;
      }
}

TEST(Contention, NoiseThatSpeedsUpIsNoContention) {
  const auto found = speeds_of(1.0, 1.0, 0.9, 0.95);
  EXPECT_EQ(found.kappa, 1);
  EXPECT_EQ(found.gamma, 1);
}

ContentionSample contention_sample(std::int64_t bytes, double beside) {
  return {bytes, {1}, {1}, {beside}, {beside}};
}

TEST(Contention, TheSizeOfAStandstillIsNamed) {
  const MpiCallChoice shared{MpiCallTable(true), false, ""}, own{MpiCallTable(true), true, ""};
  const auto text = [](ContentionSample const& last, MpiCallChoice const& choice,
                       WireFormat wire = WireFormat::fp32) {
    return standstill({contention_sample(1000, 2), last}, choice, wire, ThreadChoice{});
  };
  EXPECT_EQ(text(contention_sample(1000000, 4), own), "");
  const ContentionSample stood{4096, {1}, {1}, {5}, {2}};  // compute stood still for 2 s, then took 3 s
  EXPECT_NE(text(stood, own).find("4096 bytes (compute ran at 0.1 % of its speed, the all-reduce at 50 %)"),
            std::string::npos);
  EXPECT_EQ(text(stood, shared), "");  // expected: a blocking MPI call takes the core from compute
  EXPECT_NE(text(stood, {MpiCallTable(false), false, ""}), "");
  // In bf16 a bucket of 4096 bytes is a message of 2048 bytes, for which this table takes the other MPI call.
  const MpiCallChoice by_size{MpiCallTable({1024, 8192}, {false, true}), false, ""};
  EXPECT_EQ(text(stood, by_size), "");
  EXPECT_NE(text(stood, by_size, WireFormat::bf16), "");
}

TEST(Contention, TheAdviceForAStandstillDependsOnTheCores) {
  const ContentionSample stood{4096, {1}, {1}, {5}, {2}};
  const auto says = [&](std::optional<ThreadChoice> const& rank, char const* words) {
    const auto text = standstill({stood}, {MpiCallTable(false), false, ""}, WireFormat::fp32, rank);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(ThreadChoice{.threads = 1, .own = 1}, "Give each rank two cores or more");
  says(ThreadChoice{.threads = 1, .own = 0}, "Give each rank two cores or more");
  says(ThreadChoice{.threads = 2, .own = 2},
       "2 cores and computes with 2 threads, so communication has no core");
  says(ThreadChoice{.threads = 2, .own = 2}, "Set [machine] threads = 1");
  says(ThreadChoice{.threads = 3, .own = 4}, "Communication shares no core with compute");
  says(std::nullopt, "Communication shares no core with compute");
}

// By the table of a(x) the ten calls take 1 s. The contention run measured 3 s without compute, and 2 s with
// compute. gamma must come from the table.
TEST(Contention, UsesTheAllReduceTableIfItIsKnown) {
  ContentionSample run{4096, {2}, {3}, {2}, {2}};
  EXPECT_EQ(speeds_of(run).gamma, 1);
  run.calls = 10;
  run.call_seconds = 0.1;
  EXPECT_DOUBLE_EQ(speeds_of(run).gamma, 0.5);
  EXPECT_EQ(speeds_of(run).kappa, 1);
}

TEST(Contention, IsInterpolatedBetweenTheContentionRuns) {
  const std::vector<ContentionSample> runs{contention_sample(1000, 2), contention_sample(1000000, 4)};
  const auto contention = model::contention_of({samples_of(runs[0]), samples_of(runs[1])});
  EXPECT_EQ(contention(1000).kappa, 0.5);
  EXPECT_EQ(contention(5000000).gamma, 0.25);
  EXPECT_NEAR(contention(31623).kappa, 0.375, 1e-6);
  EXPECT_EQ(model::contention_of({})(1000).kappa, 1);
}

}  // namespace
}  // namespace ddproxy
