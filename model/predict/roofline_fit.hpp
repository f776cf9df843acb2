// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "model/cost/kernel_work.hpp"

namespace ddproxy::model {

/// A roofline in which each kernel also takes a fixed time, whatever its size.
struct LaunchRoofline {
  double peak_flops = 0;                                       ///< flop/s of the kernels
  double bandwidth = std::numeric_limits<double>::infinity();  ///< bytes/s; infinity: memory never limits
  double launch = 0;                                           ///< seconds that each kernel takes in addition
};

/// Returns the seconds of one kernel: max(flops / peak, bytes / bandwidth) + launch.
double kernel_seconds(Work const& work, LaunchRoofline const& roofline);

/// Returns the seconds of kernels that run one after another.
double kernel_seconds(std::vector<KernelWork> const& kernels, LaunchRoofline const& roofline);

/// Kernels that run one after another, and how long they took.
struct TimedKernels {
  std::vector<KernelWork> kernels;
  double seconds = 0;
};

/// A roofline and how well it fits.
struct RooflineFit {
  LaunchRoofline roofline;
  double rms_error = 0;  ///< root mean square of fitted / measured - 1 over the measurements
};

/// Fits the roofline to measurements: minimises the sum of squares of fitted / measured - 1, with no rate
/// below 0. With `bandwidth`, only peak_flops and launch are fitted.
///
/// Once it is known which kernels are limited by memory, the time is linear in 1 / peak_flops, 1 / bandwidth
/// and launch. Memory limits the kernels with fewer flops per byte than the machine balance peak_flops /
/// bandwidth. So the fit sorts the kernels by flops per byte. It solves linear problems for each interval of
/// the balance between two successive kernels in this order, and for each balance that equals a kernel's
/// flops per byte: one problem in which `launch` is fitted, and one in which it is 0. It returns the best
/// solution.
///
/// If memory limits all kernels, or none, one of the two rates has no effect, and its value means nothing.
/// Throws std::invalid_argument if there is no measurement, if a measurement has no kernel with flops, if a
/// measured time is not positive, or if `bandwidth` is not positive.
RooflineFit fit_roofline(std::vector<TimedKernels> const& measured, std::optional<double> bandwidth = {});

}  // namespace ddproxy::model
