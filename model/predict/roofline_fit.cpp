// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/roofline_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace ddproxy::model {
namespace {

using Column = std::vector<double>;  // [measurement]

// A column counts as linearly dependent on the other columns if its component orthogonal to them is shorter
// than this share of its length.
constexpr double dependent = 1e-9;

double dot(Column const& a, Column const& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Returns a + factor * b.
Column added(Column a, double factor, Column const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

/// Returns the x that minimises the length of sum x[j] columns[j] - right, by a QR decomposition (modified
/// Gram-Schmidt). Returns nothing if the columns depend on each other.
std::optional<Column> least_squares(std::vector<Column> columns, Column right) {
  const std::size_t n = columns.size();
  std::vector<Column> r(n, Column(n, 0.0));
  Column x(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const double before = std::sqrt(dot(columns[j], columns[j]));
    for (std::size_t k = 0; k < j; ++k) {
      r[k][j] = dot(columns[k], columns[j]);
      columns[j] = added(columns[j], -r[k][j], columns[k]);
    }
    r[j][j] = std::sqrt(dot(columns[j], columns[j]));
    if (!(r[j][j] > dependent * before)) return std::nullopt;
    for (double& value : columns[j]) value /= r[j][j];
    x[j] = dot(columns[j], right);
    right = added(right, -x[j], columns[j]);
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t k = j + 1; k < n; ++k) x[j] -= r[j][k] * x[k];
    x[j] /= r[j][j];
  }
  return x;
}

/// The columns of the linear problem, [measurement]: the bytes of the kernels with at most `balance` flops
/// per byte, the flops of the other kernels, and the number of all kernels. Every entry is divided by the
/// measured seconds.
struct Needs {
  Column flops, bytes, kernels;
};

Needs needs_of(std::vector<TimedKernels> const& measured, double balance) {
  Needs needs;
  for (TimedKernels const& one : measured) {
    double flops = 0, bytes = 0;
    for (KernelWork const& kernel : one.kernels) {
      // balances() does the same division, so the result is rounded in the same way.
      const bool by_memory = kernel.work.flops / kernel.work.bytes <= balance;
      (by_memory ? bytes : flops) += by_memory ? kernel.work.bytes : kernel.work.flops;
    }
    needs.flops.push_back(flops / one.seconds);
    needs.bytes.push_back(bytes / one.seconds);
    needs.kernels.push_back(static_cast<double>(one.kernels.size()) / one.seconds);
  }
  return needs;
}

/// Returns 0 and the flops per byte of all kernels, each value once.
std::set<double> balances(std::vector<TimedKernels> const& measured) {
  std::set<double> found{0.0};
  for (TimedKernels const& one : measured)
    for (KernelWork const& kernel : one.kernels)
      if (kernel.work.bytes > 0) found.insert(kernel.work.flops / kernel.work.bytes);
  return found;
}

/// Keeps the best of the rooflines that are tried.
class BestFit {
 public:
  explicit BestFit(std::vector<TimedKernels> const& measured) : measured_(measured) {}

  /// Tries a roofline, given in seconds per flop, per byte and per kernel. Ignores it if no machine can have
  /// these values.
  void offer(double a_flop, double a_byte, double a_kernel) {
    if (!(a_flop > 0) || !(a_byte >= 0) || !(a_kernel >= 0)) return;
    LaunchRoofline roofline{.peak_flops = 1 / a_flop, .launch = a_kernel};
    if (a_byte > 0) roofline.bandwidth = 1 / a_byte;
    double squares = 0;
    for (TimedKernels const& one : measured_)
      squares += std::pow(kernel_seconds(one.kernels, roofline) / one.seconds - 1, 2);
    const double rms = std::sqrt(squares / static_cast<double>(measured_.size()));
    if (found_ && !(rms < best_.rms_error)) return;
    found_ = true;
    best_ = {roofline, rms};
  }

  RooflineFit take() const {
    if (!found_) throw std::logic_error("roofline fit: no roofline fits");
    return best_;
  }

 private:
  std::vector<TimedKernels> const& measured_;
  bool found_ = false;
  RooflineFit best_;
};

Column ones(Needs const& needs) {
  return Column(needs.kernels.size(), 1.0);
}

/// Tries the rooflines whose balance lies between `balance` and the next kernel's flops per byte, and those
/// that have exactly this balance.
void offer_free(BestFit& best, Needs const& needs, double balance) {
  const Column right = ones(needs);
  if (const auto x = least_squares({needs.flops, needs.bytes, needs.kernels}, right))
    best.offer((*x)[0], (*x)[1], (*x)[2]);
  if (const auto x = least_squares({needs.flops, needs.bytes}, right)) best.offer((*x)[0], (*x)[1], 0);
  const Column both = added(needs.flops, balance, needs.bytes);
  if (const auto x = least_squares({both, needs.kernels}, right))
    best.offer((*x)[0], balance * (*x)[0], (*x)[1]);
  if (const auto x = least_squares({both}, right)) best.offer((*x)[0], balance * (*x)[0], 0);
}

/// Tries the same rooflines for a known bandwidth. `a_byte` is its inverse, in seconds per byte.
void offer_with_bandwidth(BestFit& best, Needs const& needs, double balance, double a_byte) {
  const Column right = added(ones(needs), -a_byte, needs.bytes);
  if (const auto x = least_squares({needs.flops, needs.kernels}, right)) best.offer((*x)[0], a_byte, (*x)[1]);
  if (const auto x = least_squares({needs.flops}, right)) best.offer((*x)[0], a_byte, 0);
  if (!(balance > 0) || !(a_byte > 0)) return;
  const double a_flop = a_byte / balance;
  best.offer(a_flop, a_byte, 0);
  if (const auto x = least_squares({needs.kernels}, added(right, -a_flop, needs.flops)))
    best.offer(a_flop, a_byte, (*x)[0]);
}

void check(std::vector<TimedKernels> const& measured, std::optional<double> bandwidth) {
  if (measured.empty()) throw std::invalid_argument("roofline fit: there is no measurement");
  if (bandwidth && !(*bandwidth > 0))
    throw std::invalid_argument("roofline fit: the bandwidth must be positive");
  for (TimedKernels const& one : measured) {
    if (!(one.seconds > 0)) throw std::invalid_argument("roofline fit: a measured time is not positive");
    const auto has_flops = [](KernelWork const& kernel) { return kernel.work.flops > 0; };
    if (std::ranges::none_of(one.kernels, has_flops))
      throw std::invalid_argument("roofline fit: a measurement has no kernel with flops");
  }
}

}  // namespace

double kernel_seconds(Work const& work, LaunchRoofline const& roofline) {
  return std::max(work.flops / roofline.peak_flops, work.bytes / roofline.bandwidth) + roofline.launch;
}

double kernel_seconds(std::vector<KernelWork> const& kernels, LaunchRoofline const& roofline) {
  double seconds = 0;
  for (KernelWork const& kernel : kernels) seconds += kernel_seconds(kernel.work, roofline);
  return seconds;
}

RooflineFit fit_roofline(std::vector<TimedKernels> const& measured, std::optional<double> bandwidth) {
  check(measured, bandwidth);
  BestFit best(measured);
  for (const double balance : balances(measured)) {
    const Needs needs = needs_of(measured, balance);
    if (bandwidth) {
      offer_with_bandwidth(best, needs, balance, 1 / *bandwidth);
    } else {
      offer_free(best, needs, balance);
    }
  }
  return best.take();
}

}  // namespace ddproxy::model
