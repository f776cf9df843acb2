// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/best_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ddproxy::model {
namespace {

Plan plan_of_cap(Job const& job, std::int64_t cap, std::optional<std::int64_t> first_bucket) {
  if (!first_bucket) return bucketed_plan(job.gradient_bytes, {&cap, 1});
  const std::int64_t caps[] = {*first_bucket, cap};
  return bucketed_plan(job.gradient_bytes, caps);
}

/// The largest cap that leaves the plan of `cap` as it is. The last bucket ends with the gradients, whatever
/// the cap.
std::int64_t last_cap_of(Plan const& plan, bool first_has_own_limit) {
  std::int64_t smallest = any_cap;
  for (std::size_t k = first_has_own_limit ? 1 : 0; k + 1 < plan.size(); ++k) {
    smallest = std::min(smallest, plan[k].bytes);
  }
  return smallest;
}

}  // namespace

std::vector<CapRange> sweep_caps(Job const& job, std::optional<std::int64_t> first_bucket) {
  std::vector<CapRange> sweep;
  for (std::int64_t cap = 1;;) {
    const Plan plan = plan_of_cap(job, cap, first_bucket);
    const std::int64_t last = last_cap_of(plan, first_bucket.has_value());
    sweep.push_back({cap, last, plan.size(), simulate(job, plan).total});
    if (last == any_cap) return sweep;
    cap = last + 1;
  }
}

CapRange best_caps(std::span<const CapRange> sweep, double tolerance) {
  if (sweep.empty()) throw std::invalid_argument("best cap: the sweep holds no plan");
  const auto best = std::min_element(sweep.begin(), sweep.end(),
                                     [](auto const& a, auto const& b) { return a.seconds < b.seconds; });
  const double limit = best->seconds * (1 + tolerance);
  auto low = best;
  auto high = best;
  while (low != sweep.begin() && std::prev(low)->seconds <= limit) --low;
  while (std::next(high) != sweep.end() && std::next(high)->seconds <= limit) ++high;
  return {low->low, high->high, best->buckets, best->seconds};
}

std::vector<double> cap_list_mib(Plan const& plan) {
  std::vector<double> caps;
  for (Bucket const& bucket : plan) caps.push_back(static_cast<double>(bucket.bytes) / bytes_per_mib);
  return caps;
}

double floor_seconds(Job const& job) {
  return job.gradient_bytes.empty() ? 0.0 : job.cost(job.gradient_bytes.back());
}

}  // namespace ddproxy::model
