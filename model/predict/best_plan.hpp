// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/predict/timeline.hpp"
#include "model/step/bucket_plan.hpp"
#include "model/step/cap_walk.hpp"

namespace ddproxy::model {

/// Plans whose T differs by less than this share count as equal. See optimal_plan() for the choice among
/// them.
inline constexpr double equal_share = 1e-6;

/// A range of neighbouring caps with the same predicted T, or with nearly the same T.
struct CapRange {
  std::int64_t low;     ///< smallest cap, bytes, included
  std::int64_t high;    ///< largest cap, bytes, included; any_cap (cap_walk.hpp) if there is no upper end
  std::size_t buckets;  ///< number of buckets of the plan; of the best plan if the range has several plans
  double seconds;       ///< predicted T of this plan
};

/// Returns T(b) for every cap b. The result has one range of caps, with its T, for each plan that DDP's rule
/// can make. The ranges are in the order of rising caps. Needs O(n) memory in addition to the result, for n
/// gradients. Throws what simulate() (timeline.hpp) and bucketed_plan() (bucket_plan.hpp) throw.
std::vector<CapRange> sweep_caps(Job const& job, FirstBucket first_bucket = {});

/// Returns the range of caps with the smallest T, joined with its neighbours whose T is at most (1 +
/// tolerance) times the smallest T. With `tolerance` 0 the result is b*, with 0.001 it is the plateau. Throws
/// std::invalid_argument for an empty sweep.
CapRange best_caps(std::span<const CapRange> sweep, double tolerance = 0);

/// Returns the plan with the smallest predicted T among all plans.
///
/// Without contention and without copies out of buckets the result is exact. The recurrence is F_j = min over
/// i < j of max(F_i, r_j) + a(S_j - S_i). F_j is the earliest time at which the first j gradients are
/// reduced, r_j is the ready time of gradient j, and S_j is the sum of the bytes of the first j gradients.
/// a() includes the handover of a bucket (Job::handover_of()), which depends on i and j only. The recurrence
/// needs an a(x) that never decreases with the bytes.
///
/// With contention each step of the recurrence adds one bucket to the fluid simulation of simulate()
/// (timeline.hpp), with kappa and gamma (contention.hpp) of the bucket's size. For each j the recurrence
/// keeps the plan after which the next bucket can start earliest. The result is then close to the optimum but
/// not exact. With copies out of buckets the result is not exact either.
///
/// The function simulates the plans of recurrence_plans() (plan_recurrence.hpp) and takes the fastest. If the
/// result is not exact, it also tries the plans of the best cap with and without `first_bucket`. So T of the
/// result is at most (1 + equal_share) times the T of every cap.
///
/// Plans count as equal if their T agree to equal_share. Among equal plans the function takes those that
/// would be fastest if every all-reduce took 10 % longer. If several plans remain, it returns the one with
/// the fewest buckets. O(n^2 log n) time, O(n) memory.
Plan optimal_plan(Job const& job, FirstBucket first_bucket = {});

/// Returns a plan as PyTorch DDP's `bucket_cap_mb_list`: one value for each bucket, in MiB. PyTorch
/// multiplies each value by 2^20; the product is exactly the number of bytes of the bucket.
std::vector<double> cap_list_mib(Plan const& plan);

/// Returns a lower bound of E that holds for every plan, in seconds: max(0, r_last + a(s_last) - T_compute).
/// The last gradient has s_last bytes and cannot be reduced before it is ready, at r_last. Copies, handovers
/// and contention can only make E larger. Returns 0 if there is no gradient.
double floor_seconds(Job const& job);

}  // namespace ddproxy::model
