// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/best_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ddproxy::model {

std::vector<CapRange> sweep_caps(Job const& job, FirstBucket first_bucket) {
  std::vector<CapRange> sweep;
  for_each_cap(job.gradient_bytes, first_bucket, [&](std::int64_t low, std::int64_t high, Plan const& plan) {
    sweep.push_back({low, high, plan.size(), simulate(job, plan).total});
  });
  return sweep;
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
  if (job.gradient_bytes.empty()) return 0;
  const double compute_behind_it = job.t_compute - job.ready.back();
  return std::max(0.0, job.cost(job.gradient_bytes.back()) - compute_behind_it);
}

}  // namespace ddproxy::model
