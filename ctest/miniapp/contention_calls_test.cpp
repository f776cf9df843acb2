// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ctest/miniapp/passing_lane.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"

// Tests that the all-reduces of a contention run do not touch the gradients that the operators write at the
// same time.
namespace ddproxy {
namespace {

/// Passes all calls on, and remembers their slices.
class RecordingLane : public PassingLane {
 public:
  using PassingLane::PassingLane;
  void start(CollectiveCall const& call, Completion ready) override {
    slices.push_back(full_slice(call));
    lane_->start(call, ready);
  }

  std::vector<Slice> slices;
};

// Runs the work once. Returns for each element of the arena whether the work wrote it.
std::vector<bool> elements_written(RankContext& context, Work const& work) {
  constexpr float untouched = 12345;
  std::ranges::fill(context.arena, untouched);
  run_work(context, work);
  context.backward->fence();
  std::vector<bool> written;
  for (const float value : context.arena) written.push_back(value != untouched);
  return written;
}

// Takes one sample whose calls have the size of the smallest gradient and cover the free part of the arena.
std::vector<Slice> slices_of_a_sample(RankContext& context, RecordingLane& lane) {
  const std::int64_t bytes = std::ranges::min(context.workload.gradient_bytes);
  ContentionSample run;
  run.bytes = bytes;
  run.calls = context.workload.bytes() / bytes + 1;
  add_sample(context, run);
  return std::exchange(lane.slices, {});
}

TEST(ContentionCalls, StayAwayFromTheGradientsThatComputeWrites) {
  const Config config = tiny_config();
  RankContext context = context_of(config);
  const auto written = elements_written(context, choose_work(context));
  auto owner = std::make_unique<RecordingLane>(std::move(context.allreduce));
  RecordingLane& lane = *owner;
  context.allreduce = std::move(owner);
  const auto slices = slices_of_a_sample(context, lane);
  ASSERT_FALSE(slices.empty());
  std::size_t first = written.size(), end = 0;
  for (auto const& slice : slices) {
    ASSERT_LE(slice.end(), written.size());
    for (std::size_t i = slice.offset; i < slice.end(); ++i) ASSERT_FALSE(written[i]) << i;
    first = std::min(first, slice.offset);
    end = std::max(end, slice.end());
  }
  // The calls begin behind the elements that compute writes. At the end of the arena they leave a rest that
  // is smaller than one call. So this rest is all that is left unchecked.
  EXPECT_TRUE(written.at(first - 1));
  EXPECT_GT(end + static_cast<std::size_t>(slices.front().count), written.size());
}

}  // namespace
}  // namespace ddproxy
