// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ddproxy::model {
namespace {

void check(UniformJob const& job) {
  if (job.bytes > 0 && job.call_seconds > 0 && job.bandwidth > 0 && job.t_compute > 0) return;
  throw std::invalid_argument(
      "closed form: bytes, seconds per call, bandwidth and compute time must be positive");
}

}  // namespace

Regime regime(UniformJob const& job) {
  const double load = job.load();
  if (std::abs(load - 1) <= near_balance) return Regime::balanced;
  return load < 1 ? Regime::compute_bound : Regime::network_bound;
}

double uniform_best_bucket(UniformJob const& job) {
  check(job);
  const double load = job.load();
  const double queued = job.bytes * std::sqrt(job.call_seconds / job.t_compute);
  double best = queued;
  if (load < 1) best = std::min(queued, job.call_seconds * job.bandwidth * load / (1 - load));
  return std::min(best, job.bytes);
}

}  // namespace ddproxy::model
