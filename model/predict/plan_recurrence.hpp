// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/predict/timeline.hpp"

namespace ddproxy::model {

/// How much longer all-reduces take when equal plans are told apart.
inline constexpr double longer = 1.1;

/// What the recurrence of optimal_plan() (model/predict/best_plan.hpp) finds with a(x), and with `longer`
/// times a(x): of each the plan itself, and the one that ends no later with the largest buckets that its
/// deadlines allow. Copies out of the buckets are not looked at, and `job` has none in: they are among the
/// compute. O(n^2 log n) time, O(n) memory.
std::vector<Plan> recurrence_plans(Job const& job);

}  // namespace ddproxy::model
