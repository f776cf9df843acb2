// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::model {

/// A simplified job for which the best bucket size has a formula. Gradients can be cut anywhere and become
/// ready at a constant rate. An all-reduce of x bytes takes a(x) = o + x / w seconds.
struct UniformJob {
  double bytes;         ///< S, bytes of all gradients
  double call_seconds;  ///< o, seconds per call
  double bandwidth;     ///< w, bytes per second
  double t_compute;     ///< T_compute, seconds
  /// Returns rho_w = S / (w T_compute): T_comm / T_compute without the latency of the calls. No bucket size
  /// can change this ratio.
  double load() const { return bytes / (bandwidth * t_compute); }
};

/// Which resource limits the uniform job.
enum class Regime {
  compute_bound,  ///< rho_w < 1 - near_balance
  balanced,       ///< rho_w between these two limits
  network_bound,  ///< rho_w > 1 + near_balance
};
/// Largest distance of rho_w from 1 at which a job counts as balanced.
inline constexpr double near_balance = 0.05;
/// Returns the regime of a job.
Regime regime(UniformJob const& job);

/// Returns the bucket size b* in bytes that minimises E(b). It is at most S:
///   rho_w > 1:  S sqrt(o / T_compute)
///   rho_w = 1:  sqrt(S o w)
///   rho_w < 1:  min(o w rho_w / (1 - rho_w), S sqrt(o / T_compute))
/// Here E(b), with K = S / b buckets, is
///   o + b / w if o + b / w <= T_compute / K: only the last call is exposed;
///   T_compute / K + K o + S / w - T_compute otherwise: from the first ready bucket on, the calls leave no
///   gap.
/// If rho_w < 1 and the buckets are smaller than the first argument of min(), calls have to wait for each
/// other. If the buckets are larger, the last call, which is exposed, takes longer. For real models the
/// result is a rough check only. Throws std::invalid_argument if a member of the job is not positive.
double uniform_best_bucket(UniformJob const& job);

}  // namespace ddproxy::model
