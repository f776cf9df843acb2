// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/calibration/phases.hpp"
#include "miniapp/measure/calibration/state_tables.hpp"

namespace ddproxy {
namespace {

TEST(Rounds, DivideAllSamplesEvenly) {
  for (int samples = 1; samples <= 50; ++samples) {
    const int rounds = calibration_rounds(samples);
    int taken = 0, opening = 0;
    for (int round = 0; round < rounds; ++round) {
      const int now = samples_of_round(samples, round, rounds);
      EXPECT_TRUE(now == samples / rounds || now == samples / rounds + 1) << samples;
      taken += now;
      if (round < opening_rounds(rounds)) opening += now;
    }
    EXPECT_EQ(taken, samples);
    EXPECT_GE(samples_of_round(samples, 0, rounds), 1) << "a plan needs a sample of everything";
    EXPECT_NEAR(opening, samples / 3.0, 1 + 0.1 * samples) << samples;
  }
}

TEST(Rounds, ALongMessageIsMeasuredInOpeningAndClosingRounds) {
  int opening = 0, closing = 0;
  for (int round = 0; round < 6; ++round)
    (round < opening_rounds(6) ? opening : closing) += samples_of_round(4, round, 6);
  EXPECT_GE(opening, 1);
  EXPECT_GE(closing, 2);
}

TEST(MessageSizes, IncludeTheSizesOfTheBuckets) {
  const std::vector<std::int64_t> general{1000, 4000, 16000, 32000, 64000};
  EXPECT_EQ(with_bucket_sizes(general, {}), general);
  EXPECT_EQ(with_bucket_sizes(general, {17000, 20000, 17000, 64000, 17500}),
            (std::vector<std::int64_t>{1000, 4000, 17000, 20000, 32000, 64000}))
      << "16000 lies within 25 % of 17000, and 17500 within 10 % of it";
  EXPECT_EQ(with_bucket_sizes(general, {1100}).front(), 1000) << "the ends stay";
}

TEST(ConsecutiveSlices, FollowEachOtherAndStartAgainAtTheEndOfTheRegion) {
  const Slice region{100, 35};
  const auto slices = consecutive_slices(region, 10, 4, 1);
  ASSERT_EQ(slices.size(), 4u);
  const std::size_t offsets[] = {110, 120, 100, 110};  // three places; 5 elements stay unused
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(slices[k].offset, offsets[k]);
    EXPECT_EQ(slices[k].count, 10u);
  }
  EXPECT_EQ(consecutive_slices({0, 0}, 10, 1).front().offset, 0u) << "a replay has no memory";
}

// Returns the times of three passes with two operations on two ranks. The middle pass is in the slow state.
OperationTimes passes() {
  OperationTimes times{2, 2, 3, {1, 10, 2, 3, 30, 4, /* rank 1 */ 5, 50, 6, 7, 70, 8}};
  times.probes = {{5e-8, 3e-7, 5e-8}, {5e-8, 3e-7, 5e-8}};
  return times;
}

TEST(TablesOfAState, HoldOnlyThePassesOfTheState) {
  const auto states = model::MachineStates::between({1e-7});
  EXPECT_EQ(in_state(states, 0, passes()).seconds, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  const auto slow = in_state(states, 1, passes());
  EXPECT_EQ(slow.samples, 1u);
  EXPECT_EQ(pass_seconds(slow), (std::vector<double>{120}));
  EXPECT_EQ(slow.probes.before, (std::vector<double>{3e-7}));
}

TEST(TablesOfAState, HoldAllPassesIfTheStateHasNoPass) {
  const auto states = model::MachineStates::between({1e-6});
  EXPECT_EQ(in_state(states, 1, passes()).samples, 3u);
  EXPECT_FALSE(has_table(states, 1, passes()));
  EXPECT_TRUE(has_table(states, 0, passes()));
  OperationTimes replayed{1, 1, 1, {1}};
  EXPECT_TRUE(has_table(states, 1, replayed)) << "known in every state";
}

// After a signal a size may have a single sample, and its probe may have failed.
TEST(TablesOfAState, KeepTheSamplesOfASizeWhoseStateIsUnknown) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (auto const& states : {model::MachineStates::between({}), model::MachineStates::between({1e-7})}) {
    const auto sizes = in_state(states, 0, std::vector<SizeTimes>{{1000, {1}, 0, {{unknown}, {unknown}}}});
    EXPECT_EQ(sizes[0].seconds, (std::vector<double>{1}));
  }
}

// One contention run has a sample in the slow state, the other has none.
TEST(TablesOfAState, MixStatesInAContentionRunOnlyIfTheStateHasNoSample) {
  const auto states = model::MachineStates::between({1e-7});
  const std::vector<double> two{1, 2};
  ContentionSample both{1000, two, two, two, two};
  both.probes = {{5e-8, 3e-7}, {5e-8, 3e-7}};
  ContentionSample fast = both;
  fast.probes = {{5e-8, 5e-8}, {5e-8, 5e-8}};
  const auto runs = in_state(states, 1, std::vector<ContentionSample>{both, fast});
  EXPECT_EQ(runs[0].compute_beside, (std::vector<double>{2}));
  EXPECT_EQ(runs[1].compute_beside, two);
}

TEST(Phases, UseOnlyTheSamplesOfOneRound) {
  const SizeTimes small{1000, {1, 2, 3}}, large{64 << 20, {4, 5, 6}};
  const auto phase = phase_behind({1, {1, 1}}, "round 2", passes(), {small, large});
  EXPECT_EQ(phase.compute.value, 67) << "the median of 120 and 14, of the slower rank";
  EXPECT_EQ(phase.allreduce, 2.5) << "the median of 2 and 3";
  EXPECT_EQ(taken(passes(), {small, large}).calls, (std::vector<std::size_t>{3, 3}));
  EXPECT_TRUE(std::isnan(phase_behind({3, {}}, "stopped", passes(), {}).compute.value)) << "no pass";
}

}  // namespace
}  // namespace ddproxy
