// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/predict/timeline.hpp"

namespace ddproxy::model {

/// The factor by which all-reduces are made slower to choose among equal plans.
inline constexpr double longer = 1.1;

/// Returns the plans that the recurrence of optimal_plan() (model/predict/best_plan.hpp) finds with a(x) and
/// with `longer` times a(x). Each a(x) gives two plans: the plan of the recurrence, and a plan that ends no
/// later and has the largest buckets that the deadlines of the first plan allow.
///
/// Copies out of buckets are ignored. `job` must have no copies into buckets: add them to the compute times
/// first. O(n^2 log n) time, O(n) memory.
std::vector<Plan> recurrence_plans(Job const& job);

}  // namespace ddproxy::model
