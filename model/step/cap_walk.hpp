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

/// No upper end: with this cap, behind a first bucket of its own, all gradients go together.
inline constexpr std::int64_t any_cap = std::numeric_limits<std::int64_t>::max();

/// Limit of the first bucket, bytes; nothing: the cap.
using FirstBucket = std::optional<std::int64_t>;

/// Calls visit(low, high, plan) for each plan that DDP's rule can make and its range of caps, which rise. The
/// plan of a cap stays until the cap passes its smallest closed bucket, so nothing is missed; the last bucket
/// ends with the gradients, whatever the cap.
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
