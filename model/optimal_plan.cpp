// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/best_plan.hpp"

namespace ddproxy::model {
namespace {

constexpr double longer = 1.1;  ///< how much longer all-reduces take when plans are told apart
constexpr double equal = 1e-9;  ///< relative difference below which two T are the same

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

/// S: bytes of the first j gradients.
std::vector<std::int64_t> running_sums(Job const& job) {
  std::vector<std::int64_t> sum{0};
  for (const std::int64_t bytes : job.gradient_bytes) sum.push_back(sum.back() + bytes);
  return sum;
}

/// The best plan found for the first gradients.
struct Label {
  Fluid fluid;                                            ///< after it
  std::size_t before = 0;                                 ///< gradients before its last bucket
  double next = std::numeric_limits<double>::infinity();  ///< the earliest start of what follows
};

/// The recurrence with a(x) times `scale`: label[j] holds the plan of the first j gradients after which what
/// follows can start earliest. Without contention that is the best plan of all.
struct Recurrence {
  Job const& job;
  double scale;
  std::vector<Label> label;

  Recurrence(Job const& job_, double scale_) : job(job_), scale(scale_), label(job_.ready.size() + 1) {
    label[0].next = 0;
  }

  /// True where the bucket of gradients i to j - 1 is of no use if its call takes at least `seconds`.
  bool hopeless(std::size_t i, std::size_t j, double seconds) const {
    Fluid const& fluid = label[i].fluid;
    return std::max(job.ready[j - 1] + fluid.delay, fluid.free) + scale * seconds >= label[j].next;
  }

  /// Tries that bucket; false where it and all larger ones are too large.
  bool extend(std::size_t i, std::size_t j, std::int64_t bytes, double seconds) {
    const double ready = job.ready[j - 1], call = scale * seconds;
    if (ready + call >= label[j].next) return false;
    if (hopeless(i, j, seconds)) return true;
    Fluid fluid = label[i].fluid;
    fluid.reduce(ready, job.t_compute, call, job.contention(bytes));
    const double ready_next = j < job.ready.size() ? job.ready[j] : job.t_compute;
    const double next = std::max(fluid.free, ready_next + fluid.delay);
    if (next < label[j].next) label[j] = {fluid, i, next};
    return true;
  }

  double backward_end() const { return job.t_compute + label.back().fluid.delay; }

  /// When a call must start at the latest to be over at `end`.
  double latest_start(double end, std::int64_t bytes) const {
    const double alone = scale * job.cost(bytes);
    const double after = std::clamp(end - backward_end(), 0.0, alone);
    return end - after - (alone - after) / job.contention(bytes).gamma;
  }
};

/// The recurrence for several scales at once. a(x) is what takes the time, so what the last call tried, a
/// smaller one, took is tried first.
std::vector<Recurrence> solve(Job const& job, std::vector<std::int64_t> const& sum) {
  std::vector<Recurrence> all{{job, 1.0}, {job, longer}};
  for (std::size_t j = 1; j < sum.size(); ++j) {
    bool more = true;
    double seconds = 0;
    for (std::size_t i = j; more && i-- > 0;) {
      if (std::ranges::all_of(all, [&](auto const& r) { return r.hopeless(i, j, seconds); })) continue;
      const std::int64_t bytes = sum[j] - sum[i];
      seconds = job.cost(bytes);
      more = false;
      for (Recurrence& r : all) more |= r.extend(i, j, bytes, seconds);
    }
  }
  return all;
}

Plan plan_from(Job const& job, std::vector<std::size_t> last) {
  std::reverse(last.begin(), last.end());
  return plan_ending_at(job.gradient_bytes, last);
}

/// The recurrence's own plan.
Plan earliest_plan(Recurrence const& r) {
  std::vector<std::size_t> last;
  for (std::size_t j = r.label.size() - 1; j > 0; j = r.label[j].before) last.push_back(j - 1);
  return plan_from(r.job, std::move(last));
}

/// The same end with fewer calls: from the back, every bucket as large as its deadline allows.
Plan joined_plan(Recurrence const& r, std::vector<std::int64_t> const& sum) {
  std::vector<std::size_t> last;
  std::size_t j = r.label.size() - 1;
  double deadline = std::max(r.label[j].fluid.free, r.backward_end()) * (1 + 1e-12);
  while (j > 0) {
    std::size_t first = r.label[j].before;
    const double ready = r.job.ready[j - 1];
    for (std::size_t i = first; i-- > 0;) {
      const double start = r.latest_start(deadline, sum[j] - sum[i]);
      if (start < ready) break;
      if (std::max(r.label[i].fluid.free, ready + r.label[i].fluid.delay) <= start) first = i;
    }
    last.push_back(j - 1);
    deadline = r.latest_start(deadline, sum[j] - sum[first]);
    j = first;
  }
  return plan_from(r.job, std::move(last));
}

std::vector<Plan> candidate_plans(Job const& job) {
  const Job copied = with_copies_in(job);
  const std::vector<std::int64_t> sum = running_sums(job);
  std::vector<Plan> plans;
  for (Recurrence const& r : solve(copied, sum)) {
    plans.push_back(earliest_plan(r));
    plans.push_back(joined_plan(r, sum));
  }
  const std::int64_t cap = best_caps(sweep_caps(job)).low;
  plans.push_back(bucketed_plan(job.gradient_bytes, {&cap, 1}));
  return plans;
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

}  // namespace

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

}  // namespace ddproxy::model
