// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

#include "results/compare/family_test.hpp"

// Checks what the regression gate promises, on simulated families of 15 cases with fixed seeds: how often it
// calls equal builds slower, and how many slowdowns of 3 % it finds. The noise between rounds is 2.4 %, as
// between two processes on the same pinned cores (docs/measurements/compare.md).
namespace ddproxy::results {
namespace {

constexpr std::size_t cases = 15;
constexpr double between_rounds = 0.024;

// The number of simulated families: 100, or the value of DDPROXY_GATE_FAMILIES. The numbers in
// docs/measurements/compare.md come from more families.
const int families =
    std::getenv("DDPROXY_GATE_FAMILIES") ? std::atoi(std::getenv("DDPROXY_GATE_FAMILIES")) : 100;

using Engine = std::mt19937_64;
using Noise = std::function<double(Engine&)>;  // draws one value; the standard deviation is 1

double normal(Engine& engine) {
  return std::normal_distribution<double>()(engine);
}

// Draws from Student's t with three degrees of freedom, and divides the value by the standard deviation of
// this distribution, the square root of 3.
double heavy_tailed(Engine& engine) {
  return std::student_t_distribution<double>(3.0)(engine) / std::sqrt(3.0);
}

// Returns the logarithms of the ratios new / base of `count` rounds, [case][round]. `shared` is the share of
// the variance that all cases of a round have in common.
Logs rounds(Engine& engine, std::size_t count, Noise const& noise, double shared) {
  Logs all(cases, std::vector<double>(count));
  for (std::size_t r = 0; r < count; ++r) {
    const double common = std::sqrt(shared) * noise(engine);
    for (auto& one : all) one[r] = between_rounds * (common + std::sqrt(1.0 - shared) * noise(engine));
  }
  return all;
}

struct Setting {
  std::size_t rounds;
  Noise noise;
  double shared = 0.0;
  double slowdown = 0.0;  ///< slowdown of the first `slower` cases; 0.03 is 3 %
  std::size_t slower = cases;
};

// Returns the number of families that the test calls slower.
int rejected(Setting const& setting, unsigned seed) {
  Engine engine(seed);
  int count = 0;
  for (int k = 0; k < families; ++k) {
    Logs ratios = rounds(engine, setting.rounds, setting.noise, setting.shared);
    for (std::size_t c = 0; c < setting.slower; ++c)
      for (double& ratio : ratios[c]) ratio += std::log1p(setting.slowdown);
    count += test_rounds(ratios).rejects();
  }
  return count;
}

// Expects that the test calls at least `least` per cent of the families slower. `what` names the setting.
void expect_at_least(int least, char const* what, Setting const& setting, unsigned seed) {
  const int found = rejected(setting, seed);
  std::cout << what << ", " << setting.rounds << " rounds: found " << found << " of " << families << '\n';
  EXPECT_GE(found, least * families / 100) << what;
}

// At a level of 1 %, more than 5 alarms in 100 families happen in 5 of 10,000 such tests.
TEST(Gate, raises_few_false_alarms_for_equal_builds) {
  const auto expect_few = [](char const* what, Setting const& setting, unsigned seed) {
    const int alarms = rejected(setting, seed);
    std::cout << what << ", " << setting.rounds << " rounds: alarms " << alarms << " of " << families << '\n';
    EXPECT_LE(alarms, 5 * families / 100) << what;
  };
  expect_few("normal", {12, normal}, 1);
  expect_few("normal", {16, normal}, 2);
  expect_few("normal, 70 % shared", {16, normal, 0.7}, 3);
  expect_few("heavy tail", {16, heavy_tailed}, 4);
  expect_few("heavy tail, 70 % shared", {16, heavy_tailed, 0.7}, 5);
}

// Shows that the test above can fail: a test of each case alone at 1 % raises an alarm in one of seven
// families.
TEST(Gate, raises_many_false_alarms_if_each_case_is_tested_alone) {
  Engine engine(6);
  int alarms = 0;
  for (int k = 0; k < families; ++k) {
    bool any = false;
    for (auto const& one : rounds(engine, 10, normal, 0.0)) any = any || test_rounds({one}).rejects();
    alarms += any;
  }
  std::cout << "each case by itself: alarms " << alarms << " of " << families << '\n';
  EXPECT_GT(alarms, 7 * families / 100);
}

TEST(Gate, finds_three_percent_in_all_cases) {
  expect_at_least(85, "3 % in all cases, normal, 70 % shared", {12, normal, 0.7, 0.03}, 11);
  expect_at_least(95, "3 % in all cases, normal", {16, normal, 0.0, 0.03}, 12);
  expect_at_least(90, "3 % in all cases, normal, 70 % shared", {16, normal, 0.7, 0.03}, 13);
  expect_at_least(90, "3 % in all cases, heavy tail, 70 % shared", {16, heavy_tailed, 0.7, 0.03}, 14);
}

TEST(Gate, finds_three_percent_in_one_case_of_fifteen) {
  expect_at_least(65, "3 % in one case, normal", {12, normal, 0.0, 0.03, 1}, 21);
  expect_at_least(82, "3 % in one case, normal", {16, normal, 0.0, 0.03, 1}, 22);
  expect_at_least(82, "3 % in one case, heavy tail", {16, heavy_tailed, 0.0, 0.03, 1}, 23);
}

// Simulates scripts/gate --rounds auto, without its time limit. After every round from the seventh on, the
// gate checks whether a slowdown of 3 % would be found, and stops if it would. Returns the log ratios of all
// rounds, [case][round]. In each, every case is slower by the share `slowdown`.
Logs automatic_rounds(Engine& engine, double slowdown) {
  Logs all(cases);
  for (std::size_t count = 1;; ++count) {
    const Logs one = rounds(engine, 1, normal, 0.5);
    for (std::size_t c = 0; c < cases; ++c) all[c].push_back(one[c][0] + std::log1p(slowdown));
    if (count < fewest_rounds) continue;
    const FamilyTest test = test_rounds(all);
    if (std::max(test.smallest_found(test.whole), test.smallest_found_of_a_case()) <= std::log1p(0.03))
      return all;
  }
}

TEST(Gate, keeps_its_level_and_power_with_automatic_rounds) {
  Engine engine(41);
  int alarms = 0, found = 0;
  double mean_rounds = 0.0;
  for (int k = 0; k < families; ++k) {
    const Logs equal = automatic_rounds(engine, 0.0);
    mean_rounds += static_cast<double>(equal[0].size()) / families;
    alarms += test_rounds(equal).rejects();
    found += test_rounds(automatic_rounds(engine, 0.03)).rejects();
  }
  std::cout << "--rounds auto: " << mean_rounds << " rounds, alarms " << alarms << ", 3 % found " << found
            << " of " << families << '\n';
  EXPECT_LE(alarms, 5 * families / 100);
  EXPECT_GE(found, 85 * families / 100);
}

// rounds() here simulates the logarithms of times: each run of each side gets the noise that the log ratio of
// a round has in the other tests. So the log ratio of two runs has twice the variance of the log ratio of a
// round.
TEST(Gate, keeps_its_level_and_power_for_runs_without_rounds) {
  Engine engine(31);
  int alarms = 0, found = 0;
  for (int k = 0; k < families; ++k) {
    const Logs base = rounds(engine, 10, normal, 0.5);
    Logs next = rounds(engine, 10, normal, 0.5);
    alarms += test_runs(base, next).rejects();
    for (auto& one : next)
      for (double& time : one) time += std::log(1.1);
    found += test_runs(base, next).rejects();
  }
  std::cout << "10 runs a side: alarms " << alarms << ", 10 % found " << found << " of " << families << '\n';
  EXPECT_LE(alarms, 5 * families / 100);
  EXPECT_GE(found, 99 * families / 100);
}

}  // namespace
}  // namespace ddproxy::results
