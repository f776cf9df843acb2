// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// The textbook case: gradients that can be cut anywhere and become ready at a constant rate, a(x) = o + x /
/// w.
struct UniformJob {
  double bytes;         ///< s, of all gradients
  double call_seconds;  ///< o
  double bandwidth;     ///< w, bytes per second
  double t_compute;     ///< seconds
  /// rho_w = s / (w T_compute): the communication's share that no bucket size can change.
  double load() const { return bytes / (bandwidth * t_compute); }
};

enum class Regime {
  compute_bound,  ///< rho_w < 1
  balanced,       ///< rho_w within near_balance of 1
  network_bound,  ///< rho_w > 1
};
inline constexpr double near_balance = 0.05;
Regime regime(UniformJob const& job);

/// b*, at most s: s sqrt(o/T_compute) for rho_w > 1, sqrt(s o w) for rho_w = 1, and min(o w rho_w/(1 -
/// rho_w), s sqrt(o/T_compute)) for rho_w < 1, where up to the first value calls queue and beyond it the last
/// call grows: it minimises E(b) = o + b/w where o + b/w <= T_compute/K with K = s/b buckets (only the last
/// call is exposed), else T_compute/K + K o + s/w - T_compute (calls follow one another from the first ready
/// bucket on). A bound for real models. Throws std::invalid_argument for a job that is not positive.
double uniform_best_bucket(UniformJob const& job);

}  // namespace ddproxy::model
