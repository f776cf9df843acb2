// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/plan_recurrence.hpp"

#include <algorithm>
#include <limits>

#include "model/predict/cost_floor.hpp"

namespace ddproxy::model {
namespace {

/// The best plan found so far for the first j gradients.
struct Label {
  Fluid fluid;             ///< progress of compute and communication after the plan
  std::size_t before = 0;  ///< number of gradients before the last bucket of the plan
  double next = std::numeric_limits<double>::infinity();  ///< earliest start of the next bucket
};

/// The recurrence with a(x) multiplied by `scale`. label[j] holds the plan of the first j gradients that lets
/// the next bucket start earliest. Without contention that plan is the best of all.
struct Recurrence {
  Job const& job;
  double scale;
  std::vector<Label> label;

  Recurrence(Job const& job_, double scale_) : job(job_), scale(scale_), label(job_.ready.size() + 1) {
    label[0].next = 0;
  }

  /// Returns true if no bucket that ends with gradient j - 1 and has an a(x) of `seconds` or more can improve
  /// label[j].
  bool too_long(std::size_t j, double seconds) const {
    return job.ready[j - 1] + scale * seconds >= label[j].next || label[j].next <= ready_after(j);
  }

  /// Returns the label after a bucket of the gradients i to j - 1. `seconds` is a(x) of this bucket, not
  /// multiplied by `scale`.
  Label with(std::size_t i, std::size_t j, double seconds, Speeds const& speeds) const {
    Label result{label[i].fluid, i};
    result.fluid.reduce(job.ready[j - 1], job.t_compute, alone(i, j, seconds), speeds);
    result.next = std::max(result.fluid.free, ready_after(j) + result.fluid.delay);
    return result;
  }

  /// Returns true if a bucket of the gradients i to j - 1 cannot improve label[j]. `seconds` is a lower bound
  /// on a(x) of the bucket, and `speeds` are upper bounds on its kappa and gamma.
  bool useless(std::size_t i, std::size_t j, double seconds, Speeds const& speeds) const {
    Fluid const& fluid = label[i].fluid;
    const double start = std::max(job.ready[j - 1] + fluid.delay, fluid.free);
    return start + scale * seconds >= label[j].next || with(i, j, seconds, speeds).next >= label[j].next;
  }

  /// Returns when a bucket after the first j gradients can be ready at the earliest, in seconds of
  /// undisturbed compute.
  double ready_after(std::size_t j) const { return j < job.ready.size() ? job.ready[j] : job.t_compute; }

  /// Returns the seconds of a bucket of the gradients i to j - 1 with its handover, if a(x) is `seconds`.
  double alone(std::size_t i, std::size_t j, double seconds) const {
    return scale * seconds + job.handover_of(i, j - 1);
  }

  double backward_end() const { return job.t_compute + label.back().fluid.delay; }

  /// Returns the latest start of a bucket of the gradients i to j - 1 that has to complete at `end`.
  double latest_start(double end, std::size_t i, std::size_t j, std::int64_t bytes) const {
    const double seconds = alone(i, j, job.cost(bytes));
    const double after = std::clamp(end - backward_end(), 0.0, seconds);
    return end - after - (seconds - after) / job.contention(bytes).gamma;
  }
};

/// Solves the recurrence for the scales 1 and `longer` at once. Computing a(x), kappa and gamma takes most of
/// the time. So cheap bounds are tried first: a lower bound on a(x) (CostFloor), and the highest speeds over
/// all sizes.
std::vector<Recurrence> solve(Job const& job, std::vector<std::int64_t> const& sum) {
  std::vector<Recurrence> all{{job, 1.0}, {job, longer}};
  CostFloor at_least(job.cost);
  const Speeds fastest = job.contention.fastest();
  for (std::size_t j = 1; j < sum.size(); ++j) {
    for (std::size_t i = j; i-- > 0;) {
      const std::int64_t bytes = sum[j] - sum[i];
      const double least = at_least(bytes);
      if (std::ranges::all_of(all, [&](auto const& r) { return r.too_long(j, least); })) break;
      const auto useless = [&](auto const& r) { return r.useless(i, j, least, fastest); };
      if (std::ranges::all_of(all, useless)) continue;
      const double seconds = job.cost(bytes);
      const Speeds speeds = job.contention(bytes);
      for (Recurrence& r : all) {
        const Label found = r.with(i, j, seconds, speeds);
        if (found.next < r.label[j].next) r.label[j] = found;
      }
    }
  }
  return all;
}

Plan plan_from(Job const& job, std::vector<std::size_t> last) {
  std::reverse(last.begin(), last.end());
  return plan_ending_at(job.gradient_bytes, last);
}

/// Returns the plan that the recurrence found.
Plan earliest_plan(Recurrence const& r) {
  std::vector<std::size_t> last;
  for (std::size_t j = r.label.size() - 1; j > 0; j = r.label[j].before) last.push_back(j - 1);
  return plan_from(r.job, std::move(last));
}

/// Returns a plan that ends no later and has no more buckets than the plan of the recurrence. The function
/// goes from the last bucket to the first and makes every bucket as large as its deadline allows.
Plan joined_plan(Recurrence const& r, std::vector<std::int64_t> const& sum) {
  std::vector<std::size_t> last;
  std::size_t j = r.label.size() - 1;
  double deadline = std::max(r.label[j].fluid.free, r.backward_end()) * (1 + 1e-12);
  while (j > 0) {
    std::size_t first = r.label[j].before;
    const double ready = r.job.ready[j - 1];
    for (std::size_t i = first; i-- > 0;) {
      const double start = r.latest_start(deadline, i, j, sum[j] - sum[i]);
      if (start < ready) break;
      if (std::max(r.label[i].fluid.free, ready + r.label[i].fluid.delay) <= start) first = i;
    }
    last.push_back(j - 1);
    deadline = r.latest_start(deadline, first, j, sum[j] - sum[first]);
    j = first;
  }
  return plan_from(r.job, std::move(last));
}

}  // namespace

std::vector<Plan> recurrence_plans(Job const& job) {
  const Bucketing rule(job.gradient_bytes);
  std::vector<std::int64_t> const& sum = rule.sums();
  std::vector<Plan> plans;
  for (Recurrence const& r : solve(job, sum)) {
    plans.push_back(earliest_plan(r));
    plans.push_back(joined_plan(r, sum));
  }
  return plans;
}

}  // namespace ddproxy::model
