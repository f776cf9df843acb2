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

struct Copies {
  CopyMode mode = CopyMode::none;
  double bandwidth = 0;     ///< bytes of gradients copied per second; not read where mode is none
  double call_seconds = 0;  ///< for each gradient
};

/// Seconds of copying a bucket's gradients one way; 0 where mode is none.
double copy_seconds(Bucket const& bucket, Copies const& copies);

struct Interval {
  double start;  ///< seconds from the start of the backward pass
  double end;
};

struct Timeline {
  double total = 0;               ///< T: backward over and every bucket reduced, seconds
  double backward_end = 0;        ///< end of the backward pass
  std::vector<Interval> buckets;  ///< when each is reduced
  double slowdown(double t_compute) const { return backward_end - t_compute; }
  double tail() const { return total - backward_end; }
};

/// Both resources after some buckets.
struct Fluid {
  double delay = 0;  ///< of compute: what it would reach at t undisturbed it reaches at t + delay, seconds
  double free = 0;   ///< when the communication resource is free

  /// One bucket more: ready after `ready` of `busy` seconds of undisturbed compute, reduced in `alone`
  /// seconds if alone. Returns its start. Written with the delay, kappa = gamma = 1 leaves the recurrence
  /// itself, to the last bit.
  double reduce(double ready, double busy, double alone, Speeds const& speeds) {
    const double start = std::max(ready + delay, free);
    const double left = std::max(0.0, busy + delay - start);
    const double beside = std::min(alone / speeds.gamma, left / speeds.kappa);
    delay += (1 - speeds.kappa) * beside;
    free = start + alone + (1 - speeds.gamma) * beside;
    return start;
  }
};

/// Two resources, compute and communication; buckets are reduced one after another, each when its last
/// gradient is ready. `ready`: seconds of undisturbed compute until each gradient is complete; `t_compute`:
/// until the pass is over. Without contention this is the recurrence of wait-free backpropagation (Zhang et
/// al., Poseidon, USENIX ATC 2017): e_k = max(R_k, e_{k-1}) + a(x_k), T = max(T_compute, e_K). With it, a
/// fluid simulation of the same two resources: while bucket k is in flight, compute advances at kappa(x_k),
/// and the bucket at gamma(x_k) until compute is over. Copies in delay the gradients and the end of the
/// backward pass; copies out follow one another after it, each when its bucket is reduced, and do not slow
/// the collectives still in flight. Throws std::invalid_argument for a copy bandwidth that is not positive,
/// ready times that fall or lie outside [0, t_compute], a plan for more gradients than `ready` has.
Timeline simulate(std::span<const double> ready, double t_compute, Plan const& plan,
                  AllreduceCost const& cost, Contention const& contention = {}, Copies const& copies = {});

/// What the model knows of one backward pass: enough to predict T for any plan.
struct Job {
  std::vector<double> ready;                 ///< r_i, seconds
  double t_compute = 0;                      ///< seconds
  std::vector<std::int64_t> gradient_bytes;  ///< s_i, in ready order
  AllreduceCost cost;                        ///< a(x)
  Contention contention = {};
  Copies copies = {};
};

Timeline simulate(Job const& job, Plan const& plan);

/// T_comm: the sum of a(x_k) over the plan's buckets.
double communication_seconds(Plan const& plan, AllreduceCost const& cost);

}  // namespace ddproxy::model
