// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/timeline.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

void check_speed(char const* name, double speed) {
  if (speed > 0 && speed <= 1) return;
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(speed) + "; it must lie in (0, 1]");
}

void check_inputs(std::span<const double> ready, double t_compute, Plan const& plan,
                  Contention const& contention) {
  check_speed("kappa", contention.kappa);
  check_speed("gamma", contention.gamma);
  if (!std::is_sorted(ready.begin(), ready.end())) {
    throw std::invalid_argument("timeline: the ready times must not fall; give the gradients in ready order");
  }
  if (!ready.empty() && (ready.front() < 0 || ready.back() > t_compute)) {
    throw std::invalid_argument(
        "timeline: the ready times must lie between 0 and the end of the backward pass");
  }
  if (!plan.empty() && plan.back().last >= ready.size()) {
    throw std::invalid_argument("timeline: the plan speaks of gradient " + std::to_string(plan.back().last) +
                                ", but only " + std::to_string(ready.size()) + " ready times are given");
  }
}

/// Seconds for which a collective of `alone` seconds that starts `left` seconds of undisturbed compute before
/// the end of the backward pass runs beside it.
double seconds_beside_compute(double alone, double left, Contention const& contention) {
  return std::min(alone / contention.gamma, std::max(0.0, left) / contention.kappa);
}

}  // namespace

Timeline simulate(std::span<const double> ready, double t_compute, Plan const& plan,
                  AllreduceCost const& cost, Contention const& contention) {
  check_inputs(ready, t_compute, plan, contention);
  Timeline timeline;
  // Compute is late by `delay`: what it would reach at t undisturbed it reaches at t + delay. Written this
  // way, kappa = gamma = 1 leaves the recurrence itself, to the last bit.
  double delay = 0;
  double free = 0;
  for (Bucket const& bucket : plan) {
    const double start = std::max(ready[bucket.last] + delay, free);
    const double alone = cost(bucket.bytes);
    const double beside = seconds_beside_compute(alone, t_compute + delay - start, contention);
    delay += (1 - contention.kappa) * beside;
    free = start + alone + (1 - contention.gamma) * beside;
    timeline.buckets.push_back({start, free});
  }
  timeline.backward_end = t_compute + delay;
  timeline.total = std::max(timeline.backward_end, free);
  return timeline;
}

Timeline simulate_after(double t_compute, Plan const& plan, AllreduceCost const& cost) {
  Timeline timeline;
  timeline.backward_end = t_compute;
  timeline.total = t_compute;
  for (Bucket const& bucket : plan) {
    const double start = timeline.total;
    timeline.total += cost(bucket.bytes);
    timeline.buckets.push_back({start, timeline.total});
  }
  return timeline;
}

double communication_seconds(Plan const& plan, AllreduceCost const& cost) {
  double sum = 0;
  for (Bucket const& bucket : plan) sum += cost(bucket.bytes);
  return sum;
}

}  // namespace ddproxy::model
