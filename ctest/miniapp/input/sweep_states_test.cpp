// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/sweep_states.hpp"

#include <gtest/gtest.h>

namespace ddproxy {
namespace {

constexpr double fast = 55e-9, slow = 330e-9;

Sample sample(double before, double after, double total = 1) {
  return {{total}, {total}, {total}, {0}, {}, before, after};
}

model::MachineStates two_states() {
  return model::MachineStates({fast, fast, fast, slow, slow, slow});
}

TEST(SweepStates, SamplesAreCountedByState) {
  const auto sweep = tell_states(
      two_states(), {{sample(fast, fast), sample(fast, slow)}, {sample(slow, slow), sample(slow, slow)}});
  EXPECT_EQ(sweep.samples, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(sweep.dropped, 1U);
  EXPECT_EQ(sweep.total, 4U);
  EXPECT_EQ(sweep.scored, 1U);
  EXPECT_FALSE(sweep.unsteady());
}

TEST(SweepStates, ASweepIsUnsteadyIfMoreThanHalfOfItsSamplesAreDropped) {
  const std::vector<Sample> half{sample(fast, fast), sample(slow, fast)};
  EXPECT_FALSE(tell_states(two_states(), {half}).unsteady());
  const std::vector<Sample> more{sample(fast, fast), sample(slow, fast), sample(fast, slow)};
  EXPECT_TRUE(tell_states(two_states(), {more}).unsteady());
}

TEST(SweepStates, IfAllSamplesAreDroppedNoStateIsScoredAndAllSamplesCount) {
  const std::vector<Sample> samples{sample(fast, slow), sample(slow, fast)};
  const auto sweep = tell_states(two_states(), {samples});
  EXPECT_EQ(sweep.scored, std::nullopt);
  EXPECT_EQ(samples_that_count(two_states(), sweep.scored, samples).size(), 2U);
}

TEST(SweepStates, OnlySamplesOfTheScoredStateCount) {
  const std::vector<Sample> samples{sample(fast, fast, 1), sample(slow, slow, 2), sample(fast, slow, 3)};
  const auto counted = samples_that_count(two_states(), 1, samples);
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_EQ(counted[0].total[0], 2);
}

// E = T - T_compute. If T_compute is from another state than T, E is wrong by the difference of T_compute
// between the two states.
TEST(SweepStates, ASampleIsDroppedIfItsTComputeIsFromAnotherState) {
  auto mixed = sample(slow, slow), even = mixed, unknown = mixed;
  mixed.compute_probe_before = mixed.compute_probe_after = fast;
  even.compute_probe_before = even.compute_probe_after = slow;
  EXPECT_EQ(state_of(two_states(), mixed), std::nullopt);
  EXPECT_EQ(state_of(two_states(), even), 1U);
  EXPECT_EQ(state_of(two_states(), unknown), 1U);
  const auto sweep = tell_states(two_states(), {{mixed, even, unknown}});
  EXPECT_EQ(sweep.dropped, 1U);
  EXPECT_EQ(samples_that_count(two_states(), sweep.scored, {mixed, even}).size(), 1U);
}

TEST(SweepStates, NoSampleIsDroppedIfTheMachineHasOneState) {
  const std::vector<Sample> samples{sample(fast, 1.2 * fast), sample(not_available, not_available)};
  const auto sweep = tell_states(model::MachineStates({fast, 1.2 * fast}), {samples});
  EXPECT_EQ(sweep.scored, 0U);
  EXPECT_EQ(sweep.dropped, 0U);
  EXPECT_EQ(samples_that_count(sweep.states, sweep.scored, samples).size(), 2U);
  EXPECT_EQ(states_line(sweep, sweep.scored), "");
}

TEST(SweepStates, TheLineNamesTheStatesAndTheNumberOfDroppedSamples) {
  const auto sweep = tell_states(two_states(), {{sample(fast, fast), sample(fast, slow)}});
  const auto line = states_line(sweep, sweep.scored);
  for (auto const* part : {"2 states", "55 ns, 330 ns", "1 in the state 55 ns", "1 of 2 were dropped",
                           "Used: the state 55 ns.", "samples of other states are left out"})
    EXPECT_NE(line.find(part), std::string::npos) << line;
  EXPECT_NE(states_line(sweep, std::nullopt).find("mix"), std::string::npos);
}

TEST(SweepStates, TheLineFirstSaysWhetherTheFiguresAreAffected) {
  const std::string topic = "states of the machine (docs/glossary.md): ";
  const auto verdict = [&](std::vector<Sample> const& samples) {
    const auto sweep = tell_states(two_states(), {samples});
    const auto line = states_line(sweep, sweep.scored);
    EXPECT_TRUE(line.starts_with(topic)) << line;
    return line.substr(topic.size(), line.find(". The speed of the machine") - topic.size());
  };
  const auto quick = sample(fast, fast), late = sample(slow, slow), changed = sample(fast, slow);
  EXPECT_EQ(verdict({quick, quick}),
            "the figures are not affected, because all samples of the sweep were taken in one state");
  EXPECT_EQ(verdict({quick, quick, late}),
            "the figures are right for one state; samples of other states are left out, so the "
            "intervals are wider");
  EXPECT_EQ(verdict({quick, changed, changed}),
            "the figures are not reliable (valid=unsteady), because more than half of the samples were "
            "dropped; repeat the run on a quieter machine");
  EXPECT_EQ(verdict({changed, changed}),
            "no state lasted long enough, so tables and figures mix the samples of all states and are "
            "uncertain; repeat the run on a quieter machine");
}

}  // namespace
}  // namespace ddproxy
