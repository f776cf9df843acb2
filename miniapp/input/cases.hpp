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
#include "model/step/strategies/named_strategy.hpp"

namespace ddproxy {

/// The cap that most runs use, in MiB: the default of PyTorch's DistributedDataParallel.
inline constexpr double common_cap_mib = 25;

/// Returns the bytes of a size in MiB, rounded to the nearest integer.
std::int64_t to_bytes(double mib);

/// One case, which is one row of the sweep: a strategy, and a cap if the strategy has caps. The plan of the
/// strategy `optimal` depends on costs, so it is empty until plan_optimal() assigns it.
struct Case {
  model::NamedStrategy strategy;
  double cap_mib = 0;  ///< bucket cap, MiB; 0 if the strategy has no caps
  model::Plan plan = {};

  bool overlapped() const { return strategy.overlapped; }
  bool has_cap() const { return strategy.buckets == model::BucketRule::cap; }
  /// Returns true if the strategy is `bucketed`. The figure of merit, the score of the model and the best
  /// bucket size are computed from these cases only. So these figures mean the same in every results file,
  /// even if another strategy with caps was measured.
  bool is_bucketed() const { return strategy.name == "bucketed"; }
  bool is_optimal() const { return strategy.buckets == model::BucketRule::optimal; }

  std::int64_t cap_bytes() const;  ///< returns the bucket cap in bytes; 0 if the strategy has no caps
  std::string name() const;        ///< returns the name, for instance "bucketed/25" for a cap of 25 MiB
};

/// Returns the limit of the first bucket in bytes, as the input gives it. Returns nothing if the input gives
/// none. The cap then also limits the first bucket.
model::FirstBucket first_bucket_of(Config const& config);

/// Returns the copies that the input asks for ([allreduce] copies). A copy reads and writes each byte, so it
/// runs at half of [machine] bandwidth.
model::Copies copies_of(Config const& config);

/// Returns the cases of the input file, in the order of its strategies. A strategy with caps (`bucketed`) has
/// one case for each cap. Throws std::invalid_argument if a sweep cannot run and predict the graphs of a
/// strategy (model::unfit_for_sweep() in model/step/strategies/named_strategy.hpp).
std::vector<Case> make_cases(Config const& config, Workload const& workload);

/// Returns how a case averages the gradients: its plan, whether it overlaps communication with compute, the
/// copies and the wire format. A case that does not overlap has no copies, because it reduces the gradients
/// in place.
model::Ddp ddp_of(Case const& item, model::CopyMode copies, WireFormat wire);

/// Builds the step graphs of a case on `ranks` ranks, from the plan of the case and the wire format of the
/// workload. If the case overlaps communication with compute, the graphs contain copies of gradients into
/// buckets and out of them, as `copies` says. Otherwise they contain no copies.
model::RankGraphs step_of(Case const& item, Workload const& workload, model::CopyMode copies,
                          std::size_t ranks);

/// Assigns to a case of the strategy `optimal` the plan with the smallest predicted T. Leaves any other case
/// as it is. The predicted T of this plan is at most (1 + 1e-6) times the predicted T of any cap, whether or
/// not `first_bucket` limits the first bucket. optimal_plan() in model/predict/best_plan.hpp says how the
/// plan is found. Takes seconds for thousands of gradients.
void plan_optimal(Case& item, model::Job const& job, model::FirstBucket first_bucket);

/// Returns the job for which the model predicts T. Its costs are the all-reduce table of the input and the
/// operator times of the workload. It has no contention and no copies. Returns nothing if the table or the
/// operator times are missing. Throws what input_cost() (miniapp/input/workload.hpp) throws.
std::optional<model::Job> input_job(Config const& config, Workload const& workload);

/// Predicts T of a case and the times of its buckets. Strategies that do not overlap (`naive`, `flat`) reduce
/// the gradients in place, so their prediction leaves out the copies of `job`. Throws what model::predict()
/// (model/predict/graph/predict_strategy.hpp) throws.
model::Timeline predict(Case const& item, model::Job const& job);

}  // namespace ddproxy
