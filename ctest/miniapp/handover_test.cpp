// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// A lane whose handover is slowed down on purpose: the calibration must find the added time.
#include "miniapp/measure/calibration/handover.hpp"
#include "miniapp/input/toml/read_config.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "ctest/folders.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {
namespace {

/// Spins for `slower` before a call is handed over.
class SlowHandover : public CommunicationLane {
 public:
  SlowHandover(std::unique_ptr<CommunicationLane> lane, Clock::duration slower)
      : lane_(std::move(lane)), slower_(slower) {}
  void begin(std::size_t calls) override { lane_->begin(calls); }
  void start(CollectiveCall const& call, Completion ready) override { lane_->start(call, ready); }
  void progress() override {
    for (const auto end = Clock::now() + slower_; Clock::now() < end;) continue;
    lane_->progress();
  }
  void wait_all() override { lane_->wait_all(); }
  Completion wait_for(std::size_t call) override { return lane_->wait_for(call); }
  std::vector<FinishedCall> const& finished() const override { return lane_->finished(); }
  ElementsByVerb elements_handed_over() const override { return lane_->elements_handed_over(); }
  std::string description() const override { return lane_->description(); }

 private:
  std::unique_ptr<CommunicationLane> lane_;
  Clock::duration slower_;
};

SizeTimes measured(RankContext& context) {
  SizeTimes times;
  for (int round = 0; round < 3; ++round) add_handovers(context, times, round, 3);
  return times;
}

TEST(Handover, APlantedDelayIsFound) {
  Runtime const& runtime = *test_runtime;
  const Config config = read_config(std::filesystem::path(source_folder) / "inputs/tiny.toml");
  RankContext context = make_rank_context(config, make_workload(config), runtime);
  context.choice = {CallTable(true), false, ""};
  context.allreduce = context.make_allreduce(context.choice);
  EXPECT_EQ(hands_over(context), runtime.ranks() > 1);
  if (runtime.ranks() < 2) {
    EXPECT_TRUE(measured(context).seconds.empty());
    return;
  }
  const double before = handover_seconds(measured(context));
  context.allreduce =
      std::make_unique<SlowHandover>(std::move(context.allreduce), std::chrono::microseconds(200));
  const SizeTimes slow = measured(context);
  EXPECT_EQ(slow.seconds.size(), 36u);
  EXPECT_GT(handover_seconds(slow), before + 0.1e-3);
}

TEST(Handover, IsNotNegative) {
  EXPECT_EQ(handover_seconds({}), 0);
  EXPECT_EQ(handover_seconds({4, {-1e-6, -2e-6, 3e-6}}), 0);
  EXPECT_EQ(handover_seconds({4, {-1e-6, 2e-6, 3e-6}}), 2e-6);
}

}  // namespace
}  // namespace ddproxy
