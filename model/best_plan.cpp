// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/best_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace ddproxy::model {
namespace {

constexpr double longer = 1.1;  ///< how much longer all-reduces take when plans are told apart
constexpr double equal = 1e-9;  ///< relative difference below which two T are the same

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

/// The recurrence for the best plan with a(x) times `scale`, and what is needed to walk it backwards.
struct Recurrence {
  double scale;
  std::vector<double> end;          ///< F: the earliest moment at which the first j gradients can be reduced
  std::vector<std::size_t> before;  ///< gradients before the last bucket of that plan

  /// Tries the bucket of gradients i to j - 1; false where this one and all larger ones are too large.
  bool extend(std::size_t i, std::size_t j, double ready, double seconds) {
    const double call = scale * seconds;
    if (ready + call >= end[j]) return false;
    const double candidate = std::max(end[i], ready) + call;
    if (candidate < end[j]) {
      end[j] = candidate;
      before[j] = i;
    }
    return true;
  }
};

/// S: bytes of the first j gradients.
std::vector<std::int64_t> running_sums(Job const& job) {
  std::vector<std::int64_t> sum{0};
  for (const std::int64_t bytes : job.gradient_bytes) sum.push_back(sum.back() + bytes);
  return sum;
}

/// The recurrence for several scales at once: a(x) is what takes the time.
std::vector<Recurrence> solve(Job const& job, std::vector<std::int64_t> const& sum,
                              std::vector<double> const& scales) {
  const std::size_t n = job.gradient_bytes.size();
  std::vector<Recurrence> all;
  for (const double scale : scales) {
    all.push_back({scale, std::vector<double>(n + 1, std::numeric_limits<double>::infinity()),
                   std::vector<std::size_t>(n + 1)});
    all.back().end[0] = 0;
  }
  for (std::size_t j = 1; j <= n; ++j) {
    bool more = true;
    for (std::size_t i = j; more && i-- > 0;) {
      const double seconds = job.cost(sum[j] - sum[i]);
      more = false;
      for (Recurrence& r : all) more |= r.extend(i, j, job.ready[j - 1], seconds);
    }
  }
  return all;
}

Plan plan_from(Job const& job, std::vector<std::size_t> last) {
  std::reverse(last.begin(), last.end());
  return plan_ending_at(job.gradient_bytes, last);
}

/// The recurrence's own plan: every bucket as early as possible.
Plan earliest_plan(Job const& job, Recurrence const& r) {
  std::vector<std::size_t> last;
  for (std::size_t j = job.gradient_bytes.size(); j > 0; j = r.before[j]) last.push_back(j - 1);
  return plan_from(job, std::move(last));
}

/// The same end with fewer calls: from the back, every bucket as large as its deadline allows.
Plan joined_plan(Job const& job, std::vector<std::int64_t> const& sum, Recurrence const& r) {
  std::vector<std::size_t> last;
  std::size_t j = job.gradient_bytes.size();
  double deadline = r.end[j] * (1 + 1e-12);
  while (j > 0) {
    std::size_t first = r.before[j];
    for (std::size_t i = first; i-- > 0;) {
      const double start = deadline - r.scale * job.cost(sum[j] - sum[i]);
      if (start < job.ready[j - 1]) break;
      if (r.end[i] <= start) first = i;
    }
    last.push_back(j - 1);
    deadline -= r.scale * job.cost(sum[j] - sum[first]);
    j = first;
  }
  return plan_from(job, std::move(last));
}

/// The same job with the copies in among the compute, which no plan can change.
Job with_copies_in(Job job) {
  double copied = 0;
  for (std::size_t i = 0; i < job.ready.size(); ++i) {
    job.ready[i] += copied += copy_seconds({i, i, job.gradient_bytes[i]}, job.copies);
  }
  job.t_compute += copied;
  job.copies = {};
  return job;
}

struct Candidate {
  Plan plan;
  double seconds;
  double seconds_if_slower;
};

bool better(Candidate const& a, Candidate const& b) {
  if (std::abs(a.seconds - b.seconds) > equal * b.seconds) return a.seconds < b.seconds;
  if (std::abs(a.seconds_if_slower - b.seconds_if_slower) > equal * b.seconds_if_slower) {
    return a.seconds_if_slower < b.seconds_if_slower;
  }
  return a.plan.size() < b.plan.size();
}

std::vector<Plan> candidate_plans(Job const& job) {
  const Job copied = with_copies_in(job);
  const std::vector<std::int64_t> sum = running_sums(job);
  std::vector<double> scales{1.0, longer};
  if (job.contention.gamma < 1) {
    scales.push_back(1 / job.contention.gamma);
    scales.push_back(longer / job.contention.gamma);
  }
  std::vector<Plan> plans;
  for (Recurrence const& r : solve(copied, sum, scales)) {
    plans.push_back(earliest_plan(copied, r));
    plans.push_back(joined_plan(copied, sum, r));
  }
  plans.push_back(plan_of_cap(job, best_caps(sweep_caps(job)).low, {}));
  return plans;
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

Plan optimal_plan(Job const& job) {
  if (job.gradient_bytes.empty()) return {};
  Job slower = job;
  slower.cost = [&](std::int64_t bytes) { return longer * job.cost(bytes); };
  std::vector<Candidate> candidates;
  for (Plan& plan : candidate_plans(job)) {
    const double seconds = simulate(job, plan).total;
    const double if_slower = simulate(slower, plan).total;
    candidates.push_back({std::move(plan), seconds, if_slower});
  }
  return std::min_element(candidates.begin(), candidates.end(), better)->plan;
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
