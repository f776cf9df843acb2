// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <optional>

#include "model/predict/best_plan.hpp"
#include "model/predict/cost_floor.hpp"
#include "model/predict/plan_recurrence.hpp"

namespace ddproxy::model {
namespace {

/// Returns the job without copies. The seconds of the copies into buckets are added to its compute times,
/// because these copies take equally long with every plan. The copies out of buckets are left out.
Job with_copies_in(Job job) {
  double copied = 0;
  for (std::size_t i = 0; i < job.ready.size(); ++i) {
    job.ready[i] += copied += copy_seconds({i, i, job.gradient_bytes[i], 0}, job.copies);
  }
  job.t_compute += copied;
  job.copies = {};
  return job;
}

/// Returns a lower bound of a plan's T. It uses a lower bound of a(x) and the fastest speeds of compute and
/// communication. So no bucket has a longer all-reduce or more contention than in simulate(). Neither compute
/// nor communication can end later than in simulate().
double least_total(Job const& job, Plan const& plan, CostFloor& at_least) {
  const Speeds fastest = job.contention.fastest();
  Fluid fluid;
  for (Bucket const& bucket : plan)
    fluid.reduce(job.ready[bucket.last], job.t_compute, at_least(bucket.bytes), fastest);
  return std::max(fluid.free, job.t_compute + fluid.delay);
}

/// Returns the plan of the cap with the smallest T, if that T is less than `least`. `copied` is the result of
/// with_copies_in(job).
std::optional<Plan> better_cap(Job const& job, Job const& copied, FirstBucket first_bucket, double least) {
  CostFloor at_least(job.cost);
  std::optional<Plan> best;
  for_each_cap(job.gradient_bytes, first_bucket, [&](std::int64_t, std::int64_t, Plan const& plan) {
    if (least_total(copied, plan, at_least) >= least) return;
    const double seconds = simulate(job, plan).total;
    if (seconds >= least) return;
    least = seconds;
    best = plan;
  });
  return best;
}

std::vector<Plan> candidate_plans(Job const& job, FirstBucket first_bucket) {
  const Job copied = with_copies_in(job);
  std::vector<Plan> plans = recurrence_plans(copied);
  const bool exact = job.contention.none() && job.copies.mode != CopyMode::in_out;
  if (exact) return plans;
  double least = std::numeric_limits<double>::infinity();
  for (Plan const& plan : plans) least = std::min(least, simulate(job, plan).total);
  if (auto plan = better_cap(job, copied, {}, least)) plans.push_back(std::move(*plan));
  if (!first_bucket) return plans;
  if (auto plan = better_cap(job, copied, first_bucket, least)) plans.push_back(std::move(*plan));
  return plans;
}

struct Candidate {
  Plan plan;
  double seconds;
  double seconds_if_slower;
};

/// Returns the candidates whose `value` is at most (1 + equal_share) times the smallest.
std::vector<Candidate> least_of(std::vector<Candidate> candidates, double Candidate::*value) {
  const double least = (*std::ranges::min_element(candidates, {}, value)).*value;
  std::erase_if(candidates, [=](Candidate const& c) { return c.*value > least * (1 + equal_share); });
  return candidates;
}

}  // namespace

Plan optimal_plan(Job const& job, FirstBucket first_bucket) {
  if (job.gradient_bytes.empty()) return {};
  Job slower = job;
  slower.cost = [&](std::int64_t bytes) { return longer * job.cost(bytes); };
  std::vector<Candidate> candidates;
  for (Plan& plan : candidate_plans(job, first_bucket)) {
    const double seconds = simulate(job, plan).total;
    const double if_slower = simulate(slower, plan).total;
    candidates.push_back({std::move(plan), seconds, if_slower});
  }
  const auto best =
      least_of(least_of(std::move(candidates), &Candidate::seconds), &Candidate::seconds_if_slower);
  return std::ranges::min_element(best, {}, [](Candidate const& c) { return c.plan.size(); })->plan;
}

}  // namespace ddproxy::model
