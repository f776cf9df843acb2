// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "ctest/results/nights.hpp"
#include "results/history/nightly_test.hpp"

// Checks what `ddproxy compare --history` promises, on simulated nights of 15 cases and their mean, with
// fixed seeds. A month is 30 nights. Unless a test says otherwise, 30 nights lie before it, so that each of
// its nights is tested against a window of 30 nights. With DDPROXY_MONTHS=1000 this program simulates 1000
// months for each kind of noise instead of 250. It then also simulates further kinds of noise and slowdowns,
// and prints all rows of the tables of docs/measurements/compare.md.
namespace ddproxy::test {
namespace {

using results::NightlyTest;
using results::NightValue;

constexpr double tolerance = 0.02;
constexpr std::size_t window = 30, month = 30;
constexpr int fewest_months = 250;

int months() {
  const char* asked = std::getenv("DDPROXY_MONTHS");
  return asked ? std::atoi(asked) : fewest_months;
}

bool is_full() {
  return months() > fewest_months;
}

// Adds the nights to a NightlyTest one by one. Returns the index of the first night, from `from` on, after
// which a case or the mean counts as slower. Returns the number of nights if there is no such night.
std::size_t first_alarm(Nights const& all, std::size_t from) {
  NightlyTest test(all.size(), tolerance);
  std::vector<NightValue> values(all.size());
  for (std::size_t n = 0; n < all[0].size(); ++n) {
    for (std::size_t s = 0; s < all.size(); ++s) values[s] = {n, all[s][n]};
    test.add(values);
    if (n < from) continue;
    for (auto const& tracker : test.trackers())
      if (tracker.slowdown()) return n;
  }
  return all[0].size();
}

// Returns the number of months with an alarm, although nothing becomes slower. `before` is the number of
// nights before the month. Also prints a row of the table in docs/measurements/compare.md.
int false_alarms(NoiseKind const& kind, unsigned seed, std::size_t before = window) {
  Engine engine(seed);
  int alarms = 0;
  for (int k = 0; k < months(); ++k) {
    const auto all = simulate(engine, kind, before + month);
    alarms += first_alarm(all, before) < all[0].size();
  }
  std::printf("| %s, after %zu nights | %d | %.2f %% |\n", kind.name.c_str(), before, alarms,
              100.0 * alarms / months());
  std::fflush(stdout);
  return alarms;
}

void expect_few(NoiseKind const& kind, double permitted, unsigned seed) {
  EXPECT_LE(false_alarms(kind, seed), permitted * months()) << kind.name;
}

TEST(HistoryGate, raises_few_false_alarms_if_nights_are_independent) {
  expect_few({"normal, 1 %", normal(0.01)}, 0.01, 1);
  expect_few({"normal, 6 %", normal(0.06)}, 0.01, 2);
  expect_few({"normal, 3 %, half of the variance common to all cases", normal(0.03), 0.5}, 0.01, 3);
}

TEST(HistoryGate, raises_few_false_alarms_if_nights_are_correlated_or_have_two_modes) {
  expect_few({"correlated by 0.3, 1 %", correlated(0.01, 0.3)}, 0.02, 4);
  expect_few({"correlated by 0.3, 3 %", correlated(0.03, 0.3)}, 0.02, 5);
  expect_few({"two modes 2 % apart, 0.5 % within, a quarter high", two_modes(0.005, 0.02, 0.25)}, 0.02, 6);
  expect_few({"two modes 2 % apart, 0.2 % within, half high", two_modes(0.002, 0.02, 0.5)}, 0.02, 7);
  expect_few({"two modes 2 % apart, 0.2 % within, a tenth high", two_modes(0.002, 0.02, 0.1)}, 0.02, 8);
}

// Shows that the tests above can fail: nothing is promised for these kinds of noise, and they raise many
// alarms.
TEST(HistoryGate, raises_many_false_alarms_if_modes_are_far_apart_or_persist) {
  EXPECT_GT(
      false_alarms({"two modes 4 % apart, 0.5 % within, a quarter high", two_modes(0.005, 0.04, 0.25)}, 9),
      0.03 * months());
  EXPECT_GT(
      false_alarms({"two modes 2 % apart that last five nights", two_modes(0.005, 0.02, 0.25, 0.2)}, 10),
      0.1 * months());
}

// Permits an alarm in 3 % of the months. With normal noise and only five nights before the month, it still
// permits only 1 %.
TEST(HistoryGate, raises_few_false_alarms_with_further_kinds_of_noise) {
  if (!is_full()) GTEST_SKIP() << "only with DDPROXY_MONTHS";
  const std::vector<NoiseKind> kinds{
      {"Student's t of 3 degrees, 1 %", heavy_tail(0.01)},
      {"Student's t of 3 degrees, 3 %", heavy_tail(0.03)},
      {"correlated by 0.3, 3 %, 70 % of the variance common", correlated(0.03, 0.3), 0.7},
      {"correlated by 0.6, 1 %", correlated(0.01, 0.6)}};
  for (auto const& kind : kinds) expect_few(kind, 0.03, 11);
  EXPECT_LE(false_alarms({"normal, 1 %", normal(0.01)}, 12, 5), 0.01 * months());
  EXPECT_LE(false_alarms({"normal, 3 %", normal(0.03)}, 12, 5), 0.01 * months());
}

// Returns the shares of the simulations in which a slowdown is found within 1, 2, 3 and 5 nights.
std::array<double, 4> found(NoiseKind const& kind, double slowdown, bool all_cases, int simulations) {
  constexpr std::array<std::size_t, 4> after{1, 2, 3, 5};
  Engine engine(20);
  std::array<double, 4> shares{};
  for (int k = 0; k < simulations; ++k) {
    auto all = simulate(engine, kind, window + 5);
    slow_down(all, slowdown, window, all_cases);
    const std::size_t at = first_alarm(all, window);
    for (std::size_t j = 0; j < after.size(); ++j)
      shares[j] += at < window + after[j] ? 1.0 / simulations : 0.0;
  }
  std::printf("| %s | %.0f %% of %s | %.0f | %.0f | %.0f | %.0f |\n", kind.name.c_str(), 100.0 * slowdown,
              all_cases ? "all cases" : "one case", 100 * shares[0], 100 * shares[1], 100 * shares[2],
              100 * shares[3]);
  std::fflush(stdout);
  return shares;
}

TEST(HistoryGate, finds_10_percent_after_one_night_and_3_percent_after_five_nights) {
  const NoiseKind kind{"normal, 1 %", normal(0.01)};
  for (bool all_cases : {true, false}) {
    EXPECT_GE(found(kind, 0.10, all_cases, 200)[0], 0.8);
    EXPECT_GE(found(kind, 0.03, all_cases, 200)[3], 0.8);
  }
}

// A larger slowdown must be found at least as often as a smaller one, within the error of 300 simulations.
void expect_more_of_larger(NoiseKind const& kind, bool all_cases) {
  double smaller = 0;
  for (double slowdown : {0.02, 0.03, 0.05, 0.1, 0.2, 0.5}) {
    const double share = found(kind, slowdown, all_cases, 300)[3];
    EXPECT_GE(share, smaller - 0.05) << kind.name << ", " << slowdown;
    smaller = share;
  }
  EXPECT_GE(smaller, 0.95) << kind.name << ": a slowdown of 50 % must be found within five nights";
}

TEST(HistoryGate, finds_larger_slowdowns_more_often) {
  if (!is_full()) GTEST_SKIP() << "only with DDPROXY_MONTHS";
  for (auto const& kind : {NoiseKind{"normal, 0.6 %", normal(0.006)}, NoiseKind{"normal, 1 %", normal(0.01)},
                           NoiseKind{"normal, 2.4 %", normal(0.024)}, NoiseKind{"normal, 6 %", normal(0.06)},
                           NoiseKind{"normal, 1 %, half common", normal(0.01), 0.5},
                           NoiseKind{"correlated by 0.3, 1 %", correlated(0.01, 0.3)},
                           NoiseKind{"Student's t of 3 degrees, 1 %", heavy_tail(0.01)}})
    for (bool all_cases : {true, false}) expect_more_of_larger(kind, all_cases);
}

// One case becomes slower by 0.9 % five times, twelve nights apart. No window of 30 nights contains all five
// steps.
TEST(HistoryGate, finds_a_slowdown_in_five_small_steps) {
  int alarms = 0;
  constexpr int simulations = 50;
  Engine engine(21);
  for (int k = 0; k < simulations; ++k) {
    auto all = simulate(engine, {"normal, 0.6 %", normal(0.006)}, window + 5 * 12);
    for (std::size_t step = 0; step < 5; ++step) slow_down(all, 0.009, window + 12 * step, false);
    alarms += first_alarm(all, window) < all[0].size();
  }
  std::printf("five steps of 0.9 %% in one case: %d of %d found\n", alarms, simulations);
  EXPECT_GE(alarms, 0.8 * simulations);
}

}  // namespace
}  // namespace ddproxy::test
