// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"
#include "model/predict/timeline.hpp"
#include "model/step/bucket_plan.hpp"
#include "model/step/cap_walk.hpp"
#include "model/step/strategies/strategy.hpp"

namespace ddproxy {

std::int64_t to_bytes(double mib);  ///< rounded

/// One case of the sweep: a strategy, and a cap where the strategy has caps. An optimal plan rests on costs:
/// it is empty until plan_optimal().
struct Case {
  model::Strategy strategy;
  double cap_mib = 0;  ///< of a strategy with caps, else 0
  model::Plan plan = {};

  bool overlapped() const { return strategy.overlapped; }
  bool has_cap() const { return strategy.buckets == model::BucketRule::cap; }
  bool is_optimal() const { return strategy.buckets == model::BucketRule::optimal; }

  std::int64_t cap_bytes() const;
  std::string name() const;  ///< for instance "bucketed/25"
};

/// The first bucket's own limit, of the input.
model::FirstBucket first_bucket_of(Config const& config);

/// The cases of the input file, in its order; `bucketed` once for each cap.
std::vector<Case> make_cases(Config const& config, Workload const& workload);

/// Builds the step graphs of a case on `ranks` ranks: of its plan, with the copies that an overlapped case
/// makes, and with the wire format of the workload.
model::RankGraphs step_of(Case const& item, Workload const& workload, model::CopyMode copies,
                          std::size_t ranks);

/// Gives a case `optimal` the best plan of the job, no slower than a cap behind that first bucket, and leaves
/// any other case as it is. Seconds for thousands of gradients.
void plan_optimal(Case& item, model::Job const& job, model::FirstBucket first_bucket);

/// The job that the tables and the roofline of the input describe, without contention; nothing where it
/// leaves out either.
std::optional<model::Job> input_job(Config const& config, Workload const& workload);

/// T of a case. `naive` and `flat` reduce the gradients where they are: without the job's copies.
model::Timeline predict(Case const& item, model::Job const& job);

}  // namespace ddproxy
