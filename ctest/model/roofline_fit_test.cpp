// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/roofline_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/predict/step_time_fit.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy::model {
namespace {

constexpr Tokens tokens{16, 128};
constexpr double tight = 1e-6;

/// Returns the kernels of the forward and the backward pass of the models s and l, with the seconds that a
/// device with this roofline takes.
std::vector<TimedKernels> planted(LaunchRoofline const& roofline) {
  std::vector<TimedKernels> measured;
  for (char const* preset : {"cs336-s-gelu", "cs336-l-gelu"}) {
    for (const TimedPart part : {TimedPart::forward, TimedPart::backward}) {
      const auto kernels = part_kernels(find_preset(preset), tokens, part, 4);
      measured.push_back({kernels, kernel_seconds(kernels, roofline)});
    }
  }
  return measured;
}

void expect_fit(LaunchRoofline const& planted_one, RooflineFit const& fit) {
  EXPECT_NEAR(fit.roofline.peak_flops / planted_one.peak_flops, 1, tight);
  EXPECT_NEAR(fit.roofline.bandwidth / planted_one.bandwidth, 1, tight);
  EXPECT_NEAR(fit.roofline.launch, planted_one.launch, tight * std::max(planted_one.launch, 1e-6));
  EXPECT_LT(fit.rms_error, tight);
}

TEST(RooflineFit, KernelSecondsMatchHandCalculation) {
  const LaunchRoofline roofline{10, 5, 1};
  EXPECT_DOUBLE_EQ(kernel_seconds(Work{100, 10}, roofline), 11);
  EXPECT_DOUBLE_EQ(kernel_seconds(Work{10, 100}, roofline), 21);
  EXPECT_DOUBLE_EQ(kernel_seconds(Work{10, 100}, LaunchRoofline{.peak_flops = 10}), 1);
  EXPECT_DOUBLE_EQ(
      kernel_seconds({{KernelKind::product, {100, 10}}, {KernelKind::norm, {10, 100}}}, roofline), 32);
}

TEST(RooflineFit, FindsAPlantedRoofline) {
  // The balance, peak / bandwidth, goes from 3 to 300 flops per byte. As it rises, memory limits first only
  // element-wise kernels, then also the products of attention, then also the small products.
  for (const LaunchRoofline roofline :
       {LaunchRoofline{45e12, 1.5e12, 12e-6}, LaunchRoofline{19.5e12, 1.555e12, 4e-6},
        LaunchRoofline{6e12, 2e12, 1e-6}, LaunchRoofline{300e12, 1e12, 20e-6},
        LaunchRoofline{45e12, 1.5e12, 0}}) {
    expect_fit(roofline, fit_roofline(planted(roofline)));
  }
}

TEST(RooflineFit, FindsPeakAndLaunchTimeForAGivenBandwidth) {
  const LaunchRoofline roofline{150e12, 1.5e12, 12e-6};
  const auto measured = planted(roofline);
  expect_fit(roofline, fit_roofline({measured[0], measured[2]}, 1.5e12));
  const LaunchRoofline unlimited{.peak_flops = 30e12, .launch = 5e-6};
  const auto fit = fit_roofline({planted(unlimited)[0], planted(unlimited)[2]}, unlimited.bandwidth);
  EXPECT_NEAR(fit.roofline.peak_flops / 30e12, 1, tight);
  EXPECT_TRUE(std::isinf(fit.roofline.bandwidth));
}

TEST(RooflineFit, HasTheLeastErrorAmongNearbyRooflines) {
  // No roofline gives exactly these times. Another peak, bandwidth or launch time must not have a smaller
  // error.
  auto measured = planted({45e12, 1.5e12, 12e-6});
  measured[1].seconds *= 1.1;
  measured[2].seconds *= 0.95;
  const RooflineFit fit = fit_roofline(measured);
  EXPECT_GT(fit.rms_error, 0.001);
  const auto rms = [&](LaunchRoofline const& roofline) {
    double squares = 0;
    for (auto const& one : measured)
      squares += std::pow(kernel_seconds(one.kernels, roofline) / one.seconds - 1, 2);
    return std::sqrt(squares / 4);
  };
  EXPECT_DOUBLE_EQ(rms(fit.roofline), fit.rms_error);
  for (const double factor : {0.5, 0.9, 0.999, 1.001, 1.1, 2.0}) {
    LaunchRoofline other = fit.roofline;
    other.peak_flops *= factor;
    EXPECT_GE(rms(other), fit.rms_error * (1 - 1e-9)) << "peak, factor " << factor;
    other = fit.roofline;
    other.bandwidth *= factor;
    EXPECT_GE(rms(other), fit.rms_error * (1 - 1e-9)) << "bandwidth, factor " << factor;
    other = fit.roofline;
    other.launch *= factor;
    EXPECT_GE(rms(other), fit.rms_error * (1 - 1e-9)) << "launch, factor " << factor;
  }
}

TEST(RooflineFit, RefusesInputsThatCannotBeFitted) {
  EXPECT_THROW(fit_roofline({}), std::invalid_argument);
  EXPECT_THROW(fit_roofline({{{}, 1}}), std::invalid_argument);
  EXPECT_THROW(fit_roofline({{{{KernelKind::norm, {0, 8}}}, 1}}), std::invalid_argument);
  EXPECT_THROW(fit_roofline({{{{KernelKind::norm, {8, 8}}}, 0}}), std::invalid_argument);
  EXPECT_THROW(fit_roofline({{{{KernelKind::norm, {8, 8}}}, 1}}, 0.0), std::invalid_argument);
}

StepTime time_of(std::string const& series, std::string const& preset, TimedPart part, bool fitted,
                 LaunchRoofline const& roofline) {
  StepTime time{.of = {series, preset, find_preset(preset), tokens, part}, .fitted = fitted};
  time.seconds = kernel_seconds(part_kernels(time.of.shape, tokens, part, 4), roofline);
  return time;
}

/// Returns the planted times of the forward and the backward pass of s, xl and l. The times of s and l are
/// fitted, those of xl are only compared.
std::vector<StepTime> planted_times(LaunchRoofline const& roofline) {
  std::vector<StepTime> times;
  for (char const* preset : {"cs336-s-gelu", "cs336-xl-gelu", "cs336-l-gelu"})
    for (const TimedPart part : {TimedPart::forward, TimedPart::backward})
      times.push_back(time_of("first", preset, part, preset != std::string("cs336-xl-gelu"), roofline));
  return times;
}

TEST(StepTimeFit, PredictsSizesThatWereNotFittedAndShowsASlowTime) {
  const LaunchRoofline roofline{45e12, 1.5e12, 12e-6};
  auto times = planted_times(roofline);
  const auto fits = fit_step_times(times);
  for (FittedTime const& row : fits.front().rows) EXPECT_NEAR(row.error(), 0, tight);
  double moving = 0, all = 0;  // by hand: the balance is 30 flops per byte
  for (std::size_t i : {0, 1, 4, 5}) {
    all += times[i].seconds;
    for (KernelWork const& kernel : part_kernels(times[i].of.shape, tokens, times[i].of.part, 4))
      if (kernel.work.flops < 30 * kernel.work.bytes) moving += kernel.work.bytes / 1.5e12;
  }
  EXPECT_NEAR(fit_step_times(times).front().memory_share, moving / all, tight);
  times[3].seconds *= 1.25;  // the backward pass of xl, which is not fitted
  const auto rows = fit_step_times(times).front().rows;
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i].error(), i == 3 ? -0.2 : 0.0, tight) << i;
}

TEST(StepTimeFit, LaterSeriesUseTheBandwidthOrTheRooflineOfTheFirstSeries) {
  const LaunchRoofline roofline{45e12, 1.5e12, 12e-6}, faster{150e12, 1.5e12, 9e-6};
  auto times = planted_times(roofline);
  for (char const* preset : {"cs336-s-gelu", "cs336-m-gelu", "cs336-l-gelu"}) {
    const bool fitted = preset != std::string("cs336-m-gelu");
    times.push_back(time_of("faster", preset, TimedPart::forward_backward, fitted, faster));
    times.push_back(time_of("cold", preset, TimedPart::forward, fitted, roofline));
    times.back().warm = false;
    times.back().seconds += 0.065;
  }
  const auto fits = fit_step_times(times);
  ASSERT_EQ(fits.size(), 3U);
  EXPECT_EQ(fits[0].base, "");
  EXPECT_EQ(fits[1].base, "first");
  EXPECT_NEAR(fits[1].roofline.peak_flops / 150e12, 1, tight);
  EXPECT_NEAR(fits[1].roofline.launch / 9e-6, 1, tight);
  EXPECT_EQ(fits[2].base, "first");
  EXPECT_NEAR(fits[2].startup, 0.065, tight);
  for (SeriesFit const& fit : fits)
    for (FittedTime const& row : fit.rows) EXPECT_NEAR(row.error(), 0, tight) << fit.name;
}

TEST(StepTimeFit, SharesAddUpToOne) {
  const LaunchRoofline roofline{45e12, 1.5e12, 12e-6};
  const PublishedCase of{"first", "cs336-xl-gelu", find_preset("cs336-xl-gelu"), tokens, TimedPart::step};
  const auto shares = kernel_shares(of, false, roofline);
  double sum = 0;
  for (auto const& [kind, share] : shares) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(shares.size(), 6U);
  // 97 norms, forward and backward. Each reads or writes 4 arrays of 2048 tokens x 1600 features in fp32.
  const double norms = 2 * 97 * (4 * 2048 * 1600 * 4 / 1.5e12 + 12e-6);
  const double all = kernel_seconds(part_kernels(of.shape, tokens, TimedPart::step, 4), roofline);
  EXPECT_NEAR(shares.at(KernelKind::norm), norms / all, 1e-9);
}

}  // namespace
}  // namespace ddproxy::model
