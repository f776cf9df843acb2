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

/// E(b) for buckets of b bytes, K = s / b of them (any real number of at least 1). While a call takes no
/// longer than the gradients of one bucket, o + b/w <= T_compute/K, only the last call is exposed: E = o +
/// b/w. Else calls follow one another from the first ready bucket on: E = T_compute/K + K o + s/w -
/// T_compute; for rho_w = 1 that is s/(K w) + K o. Both are bounds for real models. Throws
/// std::invalid_argument for a bucket or a job that is not positive, or a bucket larger than s.
double uniform_exposed(UniformJob const& job, double bucket_bytes);

/// b*, at most s: s sqrt(o/T_compute) for rho_w > 1, sqrt(s o w) for rho_w = 1, and min(o w rho_w/(1 -
/// rho_w), s sqrt(o/T_compute)) for rho_w < 1, where up to the first value calls queue and beyond it the last
/// call grows. Throws as uniform_exposed().
double uniform_best_bucket(UniformJob const& job);

}  // namespace ddproxy::model
