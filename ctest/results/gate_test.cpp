// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <random>

#include "results/comparison.hpp"

// The promises of `ddproxy compare`, on simulated families of 15 cases.
namespace ddproxy::results {
namespace {

constexpr std::size_t cases = 15;
constexpr int families = 2000;
using Engine = std::mt19937_64;
using Noise = std::function<double(Engine&)>;

double gaussian(Engine& engine, double deviation) {
  return std::normal_distribution<double>(0.0, deviation)(engine);
}

Noise lognormal(double cv) {
  return [cv](Engine& engine) { return gaussian(engine, cv); };
}

// Student's t with three degrees of freedom, whose standard deviation is the square root of 3.
Noise heavy_tail(double cv) {
  return
      [cv](Engine& engine) { return std::student_t_distribution<double>(3.0)(engine) * cv / std::sqrt(3.0); };
}

// One run in four lands in a mode that is slower by 2.3 cv; with the rest the standard deviation is cv.
Noise two_modes(double cv) {
  return [cv](Engine& engine) {
    const bool slow = std::uniform_real_distribution<double>()(engine) < 0.25;
    return (slow ? 2.0 * cv : 0.0) + gaussian(engine, 0.5 * cv);
  };
}

// log T of each run and case: noise of its own and, where asked for, a share that all cases of the run have
// in common.
std::vector<std::vector<double>> runs(Engine& engine, std::size_t n, Noise const& noise,
                                      double common = 0.0) {
  std::vector<std::vector<double>> all(cases, std::vector<double>(n));
  for (std::size_t r = 0; r < n; ++r) {
    const double shared = std::sqrt(common) * noise(engine);
    for (auto& one : all) one[r] = shared + std::sqrt(1.0 - common) * noise(engine);
  }
  return all;
}

using Family = std::vector<std::vector<double>>;

std::vector<Series> series_of(Family const& base, Family const& next) {
  std::vector<Series> all(cases + 1);
  all[cases].name = "all cases";
  const auto side = [&](Family const& logs, auto member) {
    for (std::size_t r = 0; r < logs[0].size(); ++r) {
      double mean = 0.0;
      for (std::size_t c = 0; c < cases; ++c) {
        (all[c].*member).push_back(std::exp(logs[c][r]));
        mean += logs[c][r] / cases;
      }
      (all[cases].*member).push_back(std::exp(mean));
    }
  };
  side(base, &Series::base);
  side(next, &Series::next);
  return all;
}

bool is_alarm(std::vector<Series> const& series, std::size_t only = cases + 1) {
  const auto results = compare_series(series, 0.02);
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k].verdict == Verdict::slower && (only > cases || only == k)) return true;
  return false;
}

int false_alarms(Noise const& noise, std::size_t n, double common, unsigned seed) {
  Engine engine(seed);
  int alarms = 0;
  for (int k = 0; k < families; ++k) {
    const auto base = runs(engine, n, noise, common), next = runs(engine, n, noise, common);
    alarms += is_alarm(series_of(base, next));
  }
  return alarms;
}

// Both sides in turn (A B B A) on a machine that slows down steadily, by 5 % in all.
int false_alarms_with_drift(std::size_t n, unsigned seed) {
  Engine engine(seed);
  int alarms = 0;
  for (int k = 0; k < families; ++k) {
    Family base = runs(engine, n, lognormal(0.005)), next = runs(engine, n, lognormal(0.005));
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c < cases; ++c) {
        const double step = 0.05 / static_cast<double>(2 * n);
        base[c][r] += step * static_cast<double>(2 * r + r % 2);
        next[c][r] += step * static_cast<double>(2 * r + 1 - r % 2);
      }
    alarms += is_alarm(series_of(base, next));
  }
  return alarms;
}

// Share of the families in which a slowdown of 2 % is found: of all cases, or of the first one only.
double found(Noise const& noise, std::size_t n, bool all_cases, double common, unsigned seed,
             int families = 2000) {
  Engine engine(seed);
  int alarms = 0;
  for (int k = 0; k < families; ++k) {
    const auto base = runs(engine, n, noise, common);
    auto next = runs(engine, n, noise, common);
    for (std::size_t c = 0; c < (all_cases ? cases : 1); ++c)
      for (double& value : next[c]) value += std::log(1.02);
    alarms += is_alarm(series_of(base, next), all_cases ? cases + 1 : 0);
  }
  return static_cast<double>(alarms) / families;
}

constexpr int permitted = families / 100;

TEST(Gate, does_not_cry_wolf) {
  const auto check = [](const char* noise, std::size_t n, int alarms) {
    std::cout << noise << ", " << n << " runs a side: " << alarms << " alarms in " << families
              << " families\n";
    EXPECT_LE(alarms, permitted) << noise << ", " << n;
  };
  for (std::size_t n : {7, 10, 16}) {  // 7: the fewest that can raise one
    check("lognormal", n, false_alarms(lognormal(0.01), n, 0.0, 1));
    check("heavy tail", n, false_alarms(heavy_tail(0.02), n, 0.0, 2));
    check("two modes", n, false_alarms(two_modes(0.02), n, 0.0, 3));
    check("half of the variance common", n, false_alarms(lognormal(0.03), n, 0.5, 4));
    check("drift, A B B A", n, false_alarms_with_drift(n, 5));
  }
}

// The test above can fail: without the family's correction some case is called slower in every tenth family
// and more.
TEST(Gate, would_cry_wolf_without_the_correction) {
  Engine engine(1);
  int alarms = 0;
  for (int k = 0; k < families; ++k) {
    const auto all = series_of(runs(engine, 10, lognormal(0.02)), runs(engine, 10, lognormal(0.02)));
    bool any = false;
    for (auto const& one : all)
      any = any || compare_series(std::span(&one, 1), 0.02)[0].verdict == Verdict::slower;
    alarms += any;
  }
  std::cout << "without the correction: " << alarms << " alarms in " << families << " families\n";
  EXPECT_GT(alarms, 5 * permitted);
}

void check_found(const char* what, double share) {
  std::cout << what << ": found in " << share << '\n';
  EXPECT_GE(share, 0.95) << what;
}

TEST(Gate, finds_a_slowdown_of_all_cases_with_ten_runs) {
  check_found("lognormal", found(lognormal(0.01), 10, true, 0.0, 11));
  check_found("heavy tail", found(heavy_tail(0.01), 10, true, 0.0, 12));
}

TEST(Gate, finds_a_slowdown_of_one_case_with_sixteen_runs) {
  check_found("lognormal", found(lognormal(0.01), 16, false, 0.0, 13));
  check_found("heavy tail", found(heavy_tail(0.01), 16, false, 0.0, 14));
}

TEST(Gate, reports_what_it_finds_with_other_noise) {
  const auto report = [](const char* noise, double all_cases, double one_case) {
    std::cout << noise << ": all cases, 10 runs " << all_cases << "; one case, 16 runs " << one_case << '\n';
    EXPECT_GT(all_cases, 0.5) << noise;
  };
  report("two modes", found(two_modes(0.01), 10, true, 0.0, 15, 1000),
         found(two_modes(0.01), 16, false, 0.0, 16, 1000));
  report("half of the variance common to a run's cases", found(lognormal(0.01), 10, true, 0.5, 17, 1000),
         found(lognormal(0.01), 16, false, 0.5, 18, 1000));
  report("nine tenths common", found(lognormal(0.01), 10, true, 0.9, 19, 1000),
         found(lognormal(0.01), 16, false, 0.9, 20, 1000));
}

}  // namespace
}  // namespace ddproxy::results
