// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/results/nights.hpp"

#include <cmath>

namespace ddproxy::test {
namespace {

// Returns noise that is drawn for each night independently of the other nights.
template <class Draw>
NoiseOfNights each(Draw draw) {
  return [draw](Engine& engine, std::size_t nights) {
    std::vector<double> all(nights);
    for (double& one : all) one = draw(engine);
    return all;
  };
}

double gaussian(Engine& engine) {
  return std::normal_distribution<double>()(engine);
}

double uniform(Engine& engine) {
  return std::uniform_real_distribution<double>()(engine);
}

}  // namespace

NoiseOfNights normal(double deviation) {
  return each([=](Engine& engine) { return deviation * gaussian(engine); });
}

NoiseOfNights heavy_tail(double deviation) {
  return each([=](Engine& engine) {
    return deviation / std::sqrt(3.0) * std::student_t_distribution<double>(3.0)(engine);
  });
}

NoiseOfNights correlated(double deviation, double correlation) {
  return [=](Engine& engine, std::size_t nights) {
    std::vector<double> all(nights);
    double last = deviation * gaussian(engine);
    for (double& one : all) {
      one = last;
      last = correlation * last + deviation * std::sqrt(1.0 - correlation * correlation) * gaussian(engine);
    }
    return all;
  };
}

NoiseOfNights two_modes(double deviation, double distance, double share, double switching) {
  return [=](Engine& engine, std::size_t nights) {
    std::vector<double> all(nights);
    bool is_high = uniform(engine) < share;
    for (double& one : all) {
      if (uniform(engine) < switching) is_high = uniform(engine) < share;
      one = (is_high ? distance : 0.0) + deviation * gaussian(engine);
    }
    return all;
  };
}

Nights simulate(Engine& engine, NoiseKind const& kind, std::size_t nights) {
  Nights all;
  const double own = std::sqrt(1.0 - kind.common), shared = std::sqrt(kind.common);
  const auto common = kind.noise(engine, nights);
  for (std::size_t c = 0; c < simulated_cases; ++c) {
    all.push_back(kind.noise(engine, nights));
    for (std::size_t n = 0; n < nights; ++n) all[c][n] = own * all[c][n] + shared * common[n];
  }
  std::vector<double> mean(nights);
  for (auto const& one : all)
    for (std::size_t n = 0; n < nights; ++n) mean[n] += one[n] / simulated_cases;
  all.push_back(mean);
  return all;
}

void slow_down(Nights& all, double slowdown, std::size_t from, bool all_cases) {
  const double shift = std::log1p(slowdown);
  for (std::size_t n = from; n < all[0].size(); ++n) {
    for (std::size_t c = 0; c < (all_cases ? simulated_cases : 1); ++c) all[c][n] += shift;
    all[simulated_cases][n] += all_cases ? shift : shift / simulated_cases;
  }
}

}  // namespace ddproxy::test
