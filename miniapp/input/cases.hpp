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

/// The cap that most runs use, in MiB: the default of PyTorch's DistributedDataParallel.
inline constexpr double common_cap_mib = 25;

/// Returns the bytes of a size in MiB, rounded to the nearest integer.
std::int64_t to_bytes(double mib);

/// One case of the sweep: a strategy, and a cap if the strategy has caps. The plan of the strategy `optimal`
/// depends on costs, so it is empty until plan_optimal() assigns it.
struct Case {
  model::Strategy strategy;
  double cap_mib = 0;  ///< bucket cap, MiB; 0 if the strategy has no caps
  model::Plan plan = {};

  bool overlapped() const { return strategy.overlapped; }
  bool has_cap() const { return strategy.buckets == model::BucketRule::cap; }
  bool is_optimal() const { return strategy.buckets == model::BucketRule::optimal; }

  std::int64_t cap_bytes() const;
  std::string name() const;  ///< for instance "bucketed/25"
};

/// Returns the limit of the first bucket in bytes, as the input gives it. Returns nothing if the input gives
/// none: the cap then holds for the first bucket, too.
model::FirstBucket first_bucket_of(Config const& config);

/// Returns the copies that the input asks for, at half the bandwidth of [machine], because a copy reads and
/// writes each byte.
model::Copies copies_of(Config const& config);

/// Returns the cases of the input file, in the order of its strategies. A strategy with caps (`bucketed`) has
/// one case for each cap.
std::vector<Case> make_cases(Config const& config, Workload const& workload);

/// Returns how a case averages the gradients: its plan and overlap, and the wire format. Copies are left out
/// for a case that does not overlap, because it reduces the gradients in place.
model::Ddp ddp_of(Case const& item, model::CopyMode copies, WireFormat wire);

/// Builds the step graphs of a case on `ranks` ranks, from the plan of the case and the wire format of the
/// workload. If the case overlaps communication with compute, the graphs contain copies of gradients into
/// buckets and out of them, as `copies` says. Otherwise they contain no copies.
model::RankGraphs step_of(Case const& item, Workload const& workload, model::CopyMode copies,
                          std::size_t ranks);

/// Assigns the plan with the smallest predicted T to a case of the strategy `optimal`, and leaves any other
/// case as it is. With the first bucket limited to `first_bucket`, the plan is predicted to be at least as
/// fast as any cap. Takes seconds for thousands of gradients.
void plan_optimal(Case& item, model::Job const& job, model::FirstBucket first_bucket);

/// Returns the input of the model (model::Job) that the all-reduce table and the operator times of the input
/// file describe, without contention and copies. Returns nothing if the file lacks one of the two. Throws
/// what input_cost() throws.
std::optional<model::Job> input_job(Config const& config, Workload const& workload);

/// Predicts T of a case and the times of its buckets. Strategies that do not overlap (`naive`, `flat`) reduce
/// the gradients in place, so the copies of `job` are left out for them. Throws as model::predict() does.
model::Timeline predict(Case const& item, model::Job const& job);

}  // namespace ddproxy
