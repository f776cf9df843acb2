// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/machine_state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ddproxy::model {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double fast = 55e-9, slow = 330e-9;

std::vector<double> around(double middle, double deviation, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(middle * std::exp(noise(random)));
  return values;
}

std::vector<double> operator+(std::vector<double> left, std::vector<double> const& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

TEST(MachineStates, AMachineThatScattersBy20PercentHasOneState) {
  for (const int count : {4, 10, 60, 300, 3000})
    for (unsigned seed = 1; seed <= 200; ++seed) {
      const MachineStates states(around(fast, 0.2, count, seed));
      ASSERT_EQ(states.count(), 1U) << count << " probes, seed " << seed;
    }
}

TEST(MachineStates, TwoStatesAreFoundIfEachHasAtLeastSixPercentOfTheProbes) {
  for (const int of_slow : {6, 30, 50, 90})
    for (unsigned seed = 1; seed <= 50; ++seed) {
      const MachineStates states(around(slow, 0.1, of_slow, seed) +
                                 around(fast, 0.1, 100 - of_slow, seed + 99));
      ASSERT_EQ(states.count(), 2U) << of_slow << " slow probes, seed " << seed;
      EXPECT_NEAR(states.round_trips()[0], fast, 0.15 * fast);
      EXPECT_NEAR(states.round_trips()[1], slow, 0.15 * slow);
    }
}

TEST(MachineStates, ThreeStatesAreFound) {
  const MachineStates states(around(fast, 0.05, 40, 1) + around(slow, 0.05, 40, 2) +
                             around(150e-9, 0.05, 40, 3));
  ASSERT_EQ(states.count(), 3U);
  EXPECT_EQ(states.state_of(140e-9), 1U);
}

TEST(MachineStates, AFewPercentOfDisturbancesAreNoState) {
  const MachineStates states(around(fast, 0.1, 97, 1) + around(5e-6, 0.05, 3, 2));
  ASSERT_EQ(states.count(), 1U);
  EXPECT_EQ(states.state_of(5e-6), 0U);
  EXPECT_FALSE(states.differ(fast, 5e-6));
}

// The table of a(x) takes about 2000 probes, and a sweep with long samples takes only about 100. So a state
// that occurs only in the sweep has less than 5 % of all probes. It counts as a state if it has at least 5 %
// of the probes of the sweep.
TEST(MachineStates, AStateThatOccursOnlyInAShortPhaseIsFound) {
  const auto table = around(slow, 0.05, 1900, 1);
  const auto sweep = around(fast, 0.05, 55, 2) + around(slow, 0.05, 41, 3);
  EXPECT_EQ(MachineStates(table + sweep).count(), 1U);
  EXPECT_EQ(MachineStates({table, {}, sweep}).count(), 2U);
  EXPECT_EQ(MachineStates({table, around(slow, 0.05, 94, 4) + around(fast, 0.05, 2, 5)}).count(), 1U);
}

// The stray probes are so close together that no gap separates the two states. The two states must still be
// found.
TEST(MachineStates, StrayProbesBetweenTwoStatesDoNotJoinThem) {
  const MachineStates states(around(fast, 0.1, 500, 1) + around(slow, 0.05, 500, 2) +
                             std::vector<double>{90e-9, 110e-9, 130e-9, 160e-9, 190e-9, 220e-9, 260e-9});
  ASSERT_EQ(states.count(), 2U);
  EXPECT_EQ(states.state_of(90e-9), 0U);
  EXPECT_EQ(states.state_of(260e-9), 1U);
}

TEST(MachineStates, TwoProbesAreTooFewForAState) {
  EXPECT_EQ(MachineStates({fast, fast, fast, fast, slow, slow}).count(), 1U);
  EXPECT_EQ(MachineStates({fast, fast, fast, slow, slow, slow}).count(), 2U);
}

TEST(MachineStates, WithoutProbesEverySampleIsInTheOnlyState) {
  for (auto const& probes : {std::vector<double>{}, std::vector<double>{unknown, unknown}}) {
    const MachineStates states(probes);
    EXPECT_EQ(states.count(), 1U);
    EXPECT_TRUE(states.round_trips().empty());
    EXPECT_EQ(states.state_of(unknown, unknown), 0U);
    EXPECT_FALSE(states.differ(unknown, fast));
  }
}

const MachineStates& two() {
  static const MachineStates states(around(fast, 0.05, 50, 1) + around(slow, 0.05, 50, 2));
  return states;
}

TEST(MachineStates, ASampleHasNoStateIfItsProbesDiffer) {
  EXPECT_EQ(two().state_of(fast, 70e-9), 0U);
  EXPECT_EQ(two().state_of(slow, slow), 1U);
  EXPECT_EQ(two().state_of(fast, slow), std::nullopt);
  EXPECT_TRUE(two().differ(fast, slow));
}

TEST(MachineStates, AnUnknownProbeIsIgnored) {
  EXPECT_EQ(two().state_of(unknown, slow), 1U);
  EXPECT_EQ(two().state_of(fast, unknown), 0U);
  EXPECT_EQ(two().state_of(unknown, unknown), std::nullopt);
  EXPECT_FALSE(two().differ(unknown, slow));
}

TEST(MachineStates, StatesAreNamedByTheirRoundTrip) {
  EXPECT_EQ(MachineStates(std::vector<double>(5, 54.6e-9)).name(0), "55 ns");
  EXPECT_EQ(two().name(1), "330 ns");
  EXPECT_EQ(MachineStates().name(0), "unknown");
}

TEST(MachineStates, ValuesAreChosenByTheirProbes) {
  const std::vector<int> values{1, 2, 3, 4};
  const Probes probes{{fast, fast, slow, unknown}, {fast, slow, slow, unknown}};
  EXPECT_EQ(values_in(two(), 0, probes, values), std::vector<int>{1});
  EXPECT_EQ(values_in(two(), 1, probes, values), std::vector<int>{3});
  EXPECT_EQ(values_in(two(), 1, {}, values), values);                // nothing was probed
  EXPECT_EQ(values_in(MachineStates(), 0, probes, values), values);  // one state
}

// Returns a quantity that was measured in two states. Each value is a sample, in seconds.
ProbedTimes measured(std::vector<double> const& in_fast, std::vector<double> const& in_slow) {
  const auto probes = std::vector<double>(in_fast.size(), fast) + std::vector<double>(in_slow.size(), slow);
  return {{probes, probes}, in_fast + in_slow};
}

std::size_t states_of(std::vector<ProbedTimes> const& quantities) {
  return MachineStates(around(fast, 0.05, 50, 1) + around(slow, 0.05, 50, 2), quantities).count();
}

TEST(MachineStates, StatesWithNearlyEqualTimesAreJoined) {
  EXPECT_EQ(states_of({measured({1, 1, 1}, {1.04, 1.04, 1.04})}), 1U);
  EXPECT_EQ(states_of({measured({1, 1, 1}, {1.06, 1.06, 1.06})}), 2U);
  EXPECT_EQ(states_of({measured({1.06, 1.06, 1.06}, {1, 1, 1})}), 2U);
}

TEST(MachineStates, StatesAreComparedByTheSumOverAllQuantities) {
  const auto small = measured({1e-6, 1e-6, 1e-6}, {4e-6, 4e-6, 4e-6});
  const auto large = measured({1, 1, 1}, {1.01, 1.01, 1.01});
  EXPECT_EQ(states_of({small}), 2U);
  EXPECT_EQ(states_of({small, large}), 1U);
}

TEST(MachineStates, StatesAreNotJoinedIfNoQuantityHasThreeSamplesInEach) {
  EXPECT_EQ(states_of({measured({1, 1, 1}, {1, 1})}), 2U);
  EXPECT_EQ(states_of({measured({1, 1, 1}, {1, 1, unknown})}), 2U);
  EXPECT_EQ(states_of({ProbedTimes{{}, {1, 1, 1, 1}}}), 2U);  // not probed
}

TEST(MachineStates, AJoinedStateKeepsItsLimitsToOtherStates) {
  constexpr double slowest = 2e-6;
  const MachineStates states(
      around(fast, 0.05, 50, 1) + around(slow, 0.05, 50, 2) + around(slowest, 0.05, 50, 3),
      {measured({1, 1, 1}, {1, 1, 1})});
  ASSERT_EQ(states.count(), 2U);
  EXPECT_EQ(states.state_of(slow, fast), 0U);
  EXPECT_EQ(states.state_of(1.5 * slow), 0U);
  EXPECT_EQ(states.state_of(slowest), 1U);
  EXPECT_EQ(MachineStates::between(states.limits()).state_of(slowest), 1U);
}

}  // namespace
}  // namespace ddproxy::model
