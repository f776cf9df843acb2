// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/cost/step_times.hpp"
#include "model/predict/roofline_fit.hpp"

namespace ddproxy::model {

/// A published time and the seconds that the fitted roofline gives.
struct FittedTime {
  StepTime published;
  double seconds = 0;        ///< fitted time
  double launch_share = 0;   ///< share of `seconds` that is launch time, in [0, 1]
  double product_share = 0;  ///< share of `seconds` in matrix products with their launches, in [0, 1]

  /// Returns fitted / published - 1.
  double error() const { return seconds / published.seconds - 1; }
};

/// A series of published times and its fit.
struct SeriesFit {
  std::string name;
  LaunchRoofline roofline;
  /// The name of the series from which rates were taken: the whole roofline for a series without warm-up,
  /// only the bandwidth for other series. Empty: all rates are fitted on the rows of this series.
  std::string base;
  double startup = 0;  ///< seconds added to the roofline time of each row; only for a series without warm-up
  /// Share of the time that memory determines, in [0, 1]: the seconds of kernels limited by memory, without
  /// their launches, divided by the seconds of all kernels. Both are fitted times of the rows marked
  /// `fitted`. If the share is small, the times hardly determine the bandwidth.
  double memory_share = 0;
  std::vector<FittedTime> rows;
};

/// Fits each series on its rows that are marked `fitted`, and computes the times of all its rows. A series
/// with fewer than three such rows takes the bandwidth of the first series. A series without warm-up takes
/// the whole roofline of the first series. Only its `startup` is fitted: the mean of published time minus
/// roofline time over the rows to fit, or 0 if that is negative. `times` must satisfy what read_step_times()
/// checks.
std::vector<SeriesFit> fit_step_times(std::vector<StepTime> const& times);

/// Returns the share of each kind of kernel in the fitted time of a case. The shares add up to 1. `mixed` is
/// StepTime::mixed.
std::map<KernelKind, double> kernel_shares(PublishedCase const& of, bool mixed,
                                           LaunchRoofline const& roofline);

}  // namespace ddproxy::model
