// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "model/allreduce_cost.hpp"
#include "model/bucket_plan.hpp"

namespace ddproxy::model {

/// What happens while a collective and compute share the machine.
struct Contention {
  double kappa = 1.0;  ///< speed of compute while a collective is in flight, in (0, 1]
  double gamma = 1.0;  ///< speed of the collective while compute runs, in (0, 1]
};

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

/// Two resources, compute and communication; buckets are reduced one after another, each when its last
/// gradient is ready. `ready`: seconds of undisturbed compute until each gradient is complete; `t_compute`:
/// until the pass is over. Without contention this is the recurrence of wait-free backpropagation (Zhang et
/// al., Poseidon, USENIX ATC 2017): e_k = max(R_k, e_{k-1}) + a(x_k), T = max(T_compute, e_K). With it, a
/// fluid simulation of the same two resources. Throws std::invalid_argument for kappa or gamma outside (0,
/// 1].
Timeline simulate(std::span<const double> ready, double t_compute, Plan const& plan,
                  AllreduceCost const& cost, Contention const& contention = {});

/// The same, with every bucket started only after the backward pass (naive, flat).
Timeline simulate_after(double t_compute, Plan const& plan, AllreduceCost const& cost);

/// T_comm: the sum of a(x_k) over the plan's buckets.
double communication_seconds(Plan const& plan, AllreduceCost const& cost);

}  // namespace ddproxy::model
