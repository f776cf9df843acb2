// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/predict/timeline.hpp"

namespace ddproxy::model {

/// Factor for the choice among equal plans: they are compared again with the all-reduce times multiplied by
/// this factor.
inline constexpr double longer = 1.1;

/// Returns the plans that the recurrence of optimal_plan() (model/predict/best_plan.hpp) finds with the
/// all-reduce time of the job, and with this time multiplied by `longer`. Each of these two all-reduce times
/// gives two plans. The first is the plan of the recurrence. The second ends no later and joins buckets of
/// the first: from the last bucket to the first, each bucket is as large as possible without delaying the
/// end.
///
/// Copies out of buckets are ignored. `job` must have no copies into buckets: add them to the compute times
/// first. O(n^2 log n) time, O(n) memory.
std::vector<Plan> recurrence_plans(Job const& job);

}  // namespace ddproxy::model
