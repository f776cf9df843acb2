// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cost/allreduce_cost.hpp"
#include "model/cost/contention.hpp"
#include "model/step/bucket_plan.hpp"
#include "model/step/copy_mode.hpp"

namespace ddproxy::model {

/// The copies between the gradients and their buckets.
struct Copies {
  CopyMode mode = CopyMode::none;
  double bandwidth = 0;     ///< bytes of gradients copied per second; unused if mode is none
  double call_seconds = 0;  ///< seconds per gradient
};

/// Returns the seconds of copying a bucket's gradients in one direction; 0 if mode is none.
double copy_seconds(Bucket const& bucket, Copies const& copies);

/// A time interval, in seconds from the start of the backward pass.
struct Interval {
  double start;
  double end;
};

/// The result of simulate(). E = slowdown + tail.
struct Timeline {
  double total = 0;               ///< T: seconds until the pass, all reductions and all copies have ended
  double backward_end = 0;        ///< end of the backward pass
  std::vector<Interval> buckets;  ///< the interval in which each bucket is reduced
  double slowdown(double t_compute) const { return backward_end - t_compute; }
  double tail() const { return total - backward_end; }
};

/// The state of the fluid simulation in simulate() below: how far compute and communication have come after
/// some buckets. In a fluid simulation work advances continuously, at a speed that depends on what else runs.
struct Fluid {
  double delay = 0;  ///< seconds by which compute lags behind undisturbed compute
  double free = 0;   ///< seconds at which the communication resource becomes free

  /// Adds the reduction of the next bucket. Returns the start of this reduction in seconds. The first three
  /// arguments are in seconds and do not include contention:
  ///
  /// - `ready`: from the start of the pass until the bucket's last gradient is ready;
  /// - `busy`: the whole backward pass;
  /// - `alone`: the reduction of the bucket.
  ///
  /// The progress of compute is stored as a delay. If both `speeds` are 1, the delay stays exactly 0, so the
  /// result is equal to that of the recurrence without contention (see simulate()), bit for bit.
  double reduce(double ready, double busy, double alone, Speeds const& speeds) {
    const double start = std::max(ready + delay, free);
    const double left = std::max(0.0, busy + delay - start);
    const double beside = std::min(alone / speeds.gamma, left / speeds.kappa);
    delay += (1 - speeds.kappa) * beside;
    free = start + alone + (1 - speeds.gamma) * beside;
    return start;
  }
};

/// Returns whether the compute side hands a bucket over to the communication thread and then continues to
/// compute. The bucket has the gradients `first` to `last`. A bucket that is ready at the end of the pass is
/// not handed over: nothing is left to compute, so the compute side itself carries out the all-reduce. Two
/// buckets that are ready at the same time are handed over together; then only the first of them counts as
/// handed over.
inline bool is_handed_over(std::span<const double> ready, double t_compute, std::size_t first,
                           std::size_t last) {
  return ready[last] < t_compute && (first == 0 || ready[first - 1] < ready[last]);
}

/// Simulates two resources, compute and communication. Buckets are reduced one after another, each as soon as
/// its last gradient is ready. `ready` has the seconds of undisturbed compute until each gradient is
/// complete, `t_compute` the seconds until the pass ends.
///
/// Without contention this is the recurrence of wait-free backpropagation (Zhang et al., Poseidon, USENIX ATC
/// 2017): e_k = max(R_k, e_{k-1}) + a(x_k) and T = max(T_compute, e_K). Bucket k has x_k bytes, its last
/// gradient is ready at R_k, and its reduction ends at e_k.
///
/// With contention the function does a fluid simulation of the same two resources. While bucket k is in
/// flight, compute advances at the relative speed kappa(x_k). Until compute has ended, the reduction of the
/// bucket advances at the relative speed gamma(x_k) (model/cost/contention.hpp).
///
/// Copies into buckets delay the gradients and the end of the backward pass. Copies out follow one another
/// after the backward pass, each as soon as its bucket is reduced. They do not slow the collectives that are
/// still in flight.
///
/// The reduction of a bucket that is handed over (is_handed_over()) takes `handover` seconds more than a(x).
///
/// Throws std::invalid_argument for a copy bandwidth that is not positive or a negative time of a copy, for
/// ready times that decrease or lie outside [0, t_compute], and for a plan with more gradients than `ready`
/// has.
Timeline simulate(std::span<const double> ready, double t_compute, Plan const& plan,
                  AllreduceCost const& cost, Contention const& contention = {}, Copies const& copies = {},
                  double handover = 0);

/// The data of one backward pass that are needed to predict T for any plan.
struct Job {
  std::vector<double> ready;                 ///< r_i, ready times in seconds
  double t_compute = 0;                      ///< seconds
  std::vector<std::int64_t> gradient_bytes;  ///< s_i, bytes in ready order
  AllreduceCost cost;                        ///< a(x)
  Contention contention = {};
  Copies copies = {};
  double handover = 0;  ///< seconds to hand a bucket over to the communication thread; not part of a(x)

  /// Returns the seconds by which the reduction of a bucket with the gradients `first` to `last` takes longer
  /// than a(x).
  double handover_of(std::size_t first, std::size_t last) const {
    return is_handed_over(ready, t_compute, first, last) ? handover : 0;
  }
};

/// Simulates a job with a plan: calls the function above with the members of `job`.
Timeline simulate(Job const& job, Plan const& plan);

/// Returns T_comm: the sum of a(x_k) over the plan's buckets, in seconds.
double communication_seconds(Plan const& plan, AllreduceCost const& cost);

}  // namespace ddproxy::model
