// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/step/bucket_plan.hpp"

namespace ddproxy::model {

/// Marks the last range of caps, which has no upper end. With such a large cap all gradients are in one
/// bucket, except those of a first bucket with a limit of its own.
inline constexpr std::int64_t any_cap = std::numeric_limits<std::int64_t>::max();

/// The limit of the first bucket, in bytes. Without a value the cap is also the limit of the first bucket.
using FirstBucket = std::optional<std::int64_t>;

/// Calls visit(low, high, plan) for each plan that DDP's rule can make. All caps from `low` to `high`, in
/// bytes and both included, give this plan. The ranges are visited in ascending order and leave no gap.
///
/// No plan is missed: when the cap grows, the plan stays the same until the cap exceeds the smallest bucket
/// that the cap has closed. The cap closes neither the last bucket, which ends with the last gradient, nor a
/// first bucket with a limit of its own.
template <class Visit>
void for_each_cap(std::vector<std::int64_t> const& gradient_bytes, FirstBucket first_bucket,
                  Visit const& visit) {
  const Bucketing rule(gradient_bytes);
  for (std::int64_t cap = 1;;) {
    const std::int64_t caps[] = {first_bucket.value_or(cap), cap};
    const Plan plan = rule.bucketed(caps);
    std::int64_t high = any_cap;
    for (std::size_t k = first_bucket ? 1 : 0; k + 1 < plan.size(); ++k) high = std::min(high, plan[k].bytes);
    visit(cap, high, plan);
    if (high == any_cap) return;
    cap = high + 1;
  }
}

}  // namespace ddproxy::model
