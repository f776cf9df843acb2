// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Slows down the handover of a lane on purpose. The calibration must find the added time.
#include "miniapp/measure/calibration/handover.hpp"

#include <gtest/gtest.h>

#include "ctest/miniapp/passing_lane.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy {
namespace {

/// Spins for `slower` in progress(), before the other lane hands over its calls.
class SlowHandover : public PassingLane {
 public:
  SlowHandover(std::unique_ptr<CommunicationLane> lane, Clock::duration slower)
      : PassingLane(std::move(lane)), slower_(slower) {}
  void progress() override {
    for (const auto end = Clock::now() + slower_; Clock::now() < end;) continue;
    lane_->progress();
  }

 private:
  Clock::duration slower_;
};

SizeTimes measured(RankContext& context) {
  SizeTimes times;
  for (int round = 0; round < 3; ++round) add_handovers(context, times, round, 3);
  return times;
}

TEST(Handover, APlantedDelayIsFound) {
  Runtime const& runtime = *test_runtime;
  const Config config = tiny_config();
  RankContext context = context_of(config);
  context.choice = {MpiCallTable(true), false, ""};
  context.allreduce = context.make_allreduce(context.choice);
  const bool measures = runtime.ranks() > 1 && !kernels::on_device;
  EXPECT_EQ(hands_over(context), measures);
  if (!measures) {
    EXPECT_TRUE(measured(context).seconds.empty());
    return;
  }
  const double before = handover_seconds(measured(context));
  context.allreduce =
      std::make_unique<SlowHandover>(std::move(context.allreduce), std::chrono::microseconds(200));
  const SizeTimes slow = measured(context);
  EXPECT_EQ(slow.seconds.size(), std::size_t{samples_of_handover});
  EXPECT_GT(handover_seconds(slow), before + 0.1e-3);
}

TEST(Handover, IsNotNegative) {
  EXPECT_EQ(handover_seconds({}), 0);
  EXPECT_EQ(handover_seconds({4, {-1e-6, -2e-6, 3e-6}}), 0);
  EXPECT_EQ(handover_seconds({4, {-1e-6, 2e-6, 3e-6}}), 2e-6);
}

}  // namespace
}  // namespace ddproxy
