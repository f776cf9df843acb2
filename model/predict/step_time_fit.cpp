// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/step_time_fit.hpp"

#include <algorithm>
#include <optional>

namespace ddproxy::model {
namespace {

constexpr std::size_t unknowns = 3;  // peak, bandwidth and launch

std::vector<KernelWork> kernels_of(PublishedCase const& of, bool mixed) {
  return part_kernels(of.shape, of.tokens, of.part, mixed ? 2 : 4);
}

std::vector<TimedKernels> to_fit(SeriesFit const& series) {
  std::vector<TimedKernels> measured;
  for (FittedTime const& row : series.rows) {
    StepTime const& time = row.published;
    if (time.fitted) measured.push_back({kernels_of(time.of, time.mixed), time.seconds});
  }
  return measured;
}

/// Returns the mean of published time minus roofline time over the rows to fit, in seconds; 0 if it is
/// negative.
double startup_of(SeriesFit const& series) {
  double beyond = 0, rows = 0;
  for (FittedTime const& row : series.rows) {
    StepTime const& time = row.published;
    if (!time.fitted) continue;
    beyond += time.seconds - kernel_seconds(kernels_of(time.of, time.mixed), series.roofline);
    rows += 1;
  }
  return rows > 0 ? std::max(beyond / rows, 0.0) : 0;
}

double memory_share_of(SeriesFit const& series) {
  auto const& rates = series.roofline;
  double by_memory = 0, all = 0;
  for (TimedKernels const& one : to_fit(series)) {
    for (KernelWork const& kernel : one.kernels) {
      const double moving = kernel.work.bytes / rates.bandwidth;
      if (moving > kernel.work.flops / rates.peak_flops) by_memory += moving;
      all += kernel_seconds(kernel.work, rates);
    }
  }
  return by_memory / all;
}

void compute_row(FittedTime& row, SeriesFit const& series) {
  StepTime const& time = row.published;
  const std::vector<KernelWork> kernels = kernels_of(time.of, time.mixed);
  const double busy = kernel_seconds(kernels, series.roofline);
  row.seconds = busy + series.startup;
  row.launch_share = static_cast<double>(kernels.size()) * series.roofline.launch / row.seconds;
  row.product_share =
      kernel_shares(time.of, time.mixed, series.roofline)[KernelKind::product] * busy / row.seconds;
}

void fit(SeriesFit& series, SeriesFit const* first) {
  if (first && !series.rows.front().published.warm) {
    series.base = first->name;
    series.roofline = first->roofline;
    series.startup = startup_of(series);
  } else {
    const std::vector<TimedKernels> measured = to_fit(series);
    std::optional<double> bandwidth;
    if (first && measured.size() < unknowns) {
      series.base = first->name;
      bandwidth = first->roofline.bandwidth;
    }
    series.roofline = fit_roofline(measured, bandwidth).roofline;
  }
  series.memory_share = memory_share_of(series);
  for (FittedTime& row : series.rows) compute_row(row, series);
}

}  // namespace

std::map<KernelKind, double> kernel_shares(PublishedCase const& of, bool mixed,
                                           LaunchRoofline const& roofline) {
  const std::vector<KernelWork> kernels = kernels_of(of, mixed);
  const double all = kernel_seconds(kernels, roofline);
  std::map<KernelKind, double> shares;
  for (KernelWork const& kernel : kernels) shares[kernel.kind] += kernel_seconds(kernel.work, roofline) / all;
  return shares;
}

std::vector<SeriesFit> fit_step_times(std::vector<StepTime> const& times) {
  std::vector<SeriesFit> fits;
  for (StepTime const& time : times) {
    auto found = std::ranges::find(fits, time.of.series, &SeriesFit::name);
    if (found == fits.end()) {
      fits.emplace_back().name = time.of.series;
      found = fits.end() - 1;
    }
    found->rows.push_back({.published = time});
  }
  for (SeriesFit& series : fits) fit(series, &series == &fits.front() ? nullptr : &fits.front());
  return fits;
}

}  // namespace ddproxy::model
