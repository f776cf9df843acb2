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

/// A relative difference of T below which the best plan is chosen by other merits.
inline constexpr double equal_share = 1e-6;

/// Caps with one T: of one plan, or of neighbouring ones.
struct CapRange {
  std::int64_t low;     ///< bytes, included
  std::int64_t high;    ///< bytes, included; any_cap: no upper end
  std::size_t buckets;  ///< of the plan, of the best one where there are several
  double seconds;       ///< predicted T, the least where there are several
};

/// T(b) for every cap b: one range for each plan that DDP's rule can make, with rising caps. O(n) memory
/// beside the result. Throws as simulate() and bucketed_plan() do.
std::vector<CapRange> sweep_caps(Job const& job, FirstBucket first_bucket = {});

/// b* as a plateau: the range with the least T, with the neighbours whose T is at most (1 + tolerance) times
/// that. Throws std::invalid_argument for an empty sweep.
CapRange best_caps(std::span<const CapRange> sweep, double tolerance = 0);

/// The plan with the least T of all plans. Exact without contention and copies out, by
/// F_j = min over i < j of max(F_i, r_j) + a(S_j - S_i), where S are the running sums of the bytes; it needs
/// an a(x) that does not fall. With contention each step of that recurrence is one of the fluid, with the
/// kappa and gamma of the bucket's size, and for each j the plan is kept after which the next bucket can
/// start earliest: near the best of all, not exact, and neither is it with copies out. Then the plan of the
/// best cap, with that `first_bucket` and without, is a candidate too where it is faster, and all are
/// simulated: no such cap is predicted to be faster.
/// Among equals (T to equal_share), the plan that loses least where every all-reduce takes 10 % longer (the
/// recurrence with such an a(x) is a candidate, too); among those, the one with the fewest calls. O(n^2 log
/// n) time, O(n) memory.
Plan optimal_plan(Job const& job, FirstBucket first_bucket = {});

/// A plan as PyTorch DDP's `bucket_cap_mb_list`: MiB, exact in binary, one a bucket.
std::vector<double> cap_list_mib(Plan const& plan);

/// What no plan's E is below, seconds: the last gradient's own a(x) from when it is ready, less what compute
/// goes on behind it. Copies out and contention only add to it. 0 where there is no gradient.
double floor_seconds(Job const& job);

}  // namespace ddproxy::model
