// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/verb_costs.hpp"
#include "model/cost/step_work.hpp"
#include "model/predict/graph/whole_step_time.hpp"
#include "model/predict/timeline.hpp"
#include "model/step/step_graph.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {

/// The memory that a step needs on each rank, and the memory of a device.
struct StepMemory {
  std::int64_t peak = 0;  ///< largest number of bytes in live buffers at any moment of the step
  double device = 0;      ///< bytes of one device; 0: not known

  /// Returns whether the step does not fit the device. Its times are then hypothetical: they hold for a
  /// device of the same speed that has more memory. Returns false if the memory of a device is not known.
  bool hypothetical() const { return device > 0 && static_cast<double>(peak) > device; }
};

/// One case (docs/glossary.md) of a whole step: its buckets, and its predicted times.
struct PredictedStep {
  Case item;
  model::WholeStepTime time;
  std::int64_t peak = 0;  ///< largest number of bytes in live buffers
  std::string name;       ///< name of the case; with fsdp, which has no buckets, the unit
  double bubble = 0;      ///< model::Summary::bubble, seconds
  std::map<model::Lane, double> lane_busy = {};  ///< model::Summary::lane_busy, seconds
};

/// One way to divide a step among the ranks, and its prediction (shard_table.hpp).
struct ShardRow {
  std::string method;            ///< the stage and what distinguishes it from other rows of the stage
  std::string choice;            ///< the best bucket cap or unit
  double step = 0, exposed = 0;  ///< T and E of the step, seconds
  double tokens_per_s = 0;       ///< tokens of all ranks per second
  std::int64_t peak = 0;         ///< largest number of bytes in live buffers of a rank
  bool fits = true;              ///< false: the memory of a device is known, and the peak is larger
  std::string problem = {};      ///< why the step is not predicted; the numbers have no meaning then
  std::vector<std::string> warnings = {};
};

/// The prediction of a whole step for one number of ranks.
struct StepPrediction {
  model::Strategy strategy;  ///< the argument `strategy` of predict_step(); each case has its own plan
  int ranks = 0;
  std::int64_t sequences = 0;  ///< global batch: micro-batch x accumulation x ranks
  std::int64_t tokens = 0;     ///< tokens of all ranks in one step
  StepMemory memory;           ///< its peak is the largest peak of all cases
  std::vector<PredictedStep> cases;
  std::vector<std::string> warnings = {};  ///< VerbCosts::warnings (verb_costs.hpp)

  double tokens_per_s(PredictedStep const& c) const {
    return static_cast<double>(tokens) / c.time.phases.step;
  }
};

/// Predicts a whole step with the buckets of each case. `strategy` says what the step consists of. Its `ddp`
/// is not read. `phases` has the seconds of the parts of the step. `job` has a(x), contention and copies as
/// functions of the bytes of gradients in memory. Each case must have its plan. `tables` has the costs of the
/// collectives of sharded steps; if it is empty, only job.cost is known. The number of ranks on a node is
/// `ranks_per_node`, or [machine] ranks_per_node if `ranks_per_node` is 0. The number of nodes of a group
/// follows from it. A step with fsdp has no buckets, so only the first case is predicted. Throws
/// std::invalid_argument if the step cannot be divided among the ranks, if a cost is not known, or if a
/// predicted T is not finite or not positive. Throws, too, what model::simulate()
/// (model/predict/graph/simulate_step.hpp) throws.
StepPrediction predict_step(Config const& config, model::Strategy const& strategy,
                            model::PhaseCosts const& phases, model::Job const& job,
                            std::vector<Case> const& cases, int ranks, VerbTables const& tables = {},
                            int ranks_per_node = 0);

/// Returns a text that says that a step is hypothetical. The text has the memory that the step needs and the
/// memory of a device. Returns an empty string if memory.hypothetical() is false.
std::string hypothetical_note(StepMemory const& memory);

}  // namespace ddproxy
