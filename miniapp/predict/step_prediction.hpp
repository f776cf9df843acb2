// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/input/config.hpp"
#include "model/cost/step_work.hpp"
#include "model/predict/graph/phase_seconds.hpp"
#include "model/predict/timeline.hpp"
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

/// One case (docs/glossary.md) of a whole step: its buckets, and the predicted seconds.
struct PredictedStep {
  Case item;
  model::PhaseSeconds phases;  ///< with communication; `step` is T
  double exposed;              ///< E, seconds: T - compute of the same step without communication
};

/// The prediction of a whole step for one number of ranks.
struct StepPrediction {
  model::WholeStep strategy;  ///< the argument `strategy` of predict_step()
  int ranks = 0;
  std::int64_t sequences = 0;  ///< global batch: micro-batch x accumulation x ranks
  std::int64_t tokens = 0;     ///< tokens of all ranks in one step
  StepMemory memory;           ///< the largest need over the cases
  std::vector<PredictedStep> cases;

  double tokens_per_s(PredictedStep const& c) const { return static_cast<double>(tokens) / c.phases.step; }
};

/// Returns the whole step that the input describes, with an empty plan. Copies and the wire format are those
/// of [allreduce].
model::WholeStep strategy_of(Config const& config);

/// Returns the step graphs of a whole step with the buckets of a case, on `ranks` ranks. Cases that do not
/// overlap have no copies, because they reduce the gradients in place. Both the measured and the predicted
/// step use this function. Throws what model::whole_step() (model/step/strategies/whole_step.hpp) throws.
model::RankGraphs whole_step_of(Config const& config, Case const& item, model::WholeStep strategy,
                                std::size_t ranks);

/// Predicts a whole step with the buckets of each case. `strategy` says what the step consists of. Its plan,
/// overlap, wire format and copies are not read. `phases` has the seconds of the parts of the step. `job` has
/// a(x), contention and copies as functions of the bytes of gradients in memory. Each case must have its
/// plan. Throws std::invalid_argument if a predicted T is not finite or not positive. Throws, too, what
/// model::simulate() (model/predict/graph/simulate_step.hpp) throws.
StepPrediction predict_step(Config const& config, model::WholeStep const& strategy,
                            model::PhaseCosts const& phases, model::Job const& job,
                            std::vector<Case> const& cases, int ranks);

/// Returns one sentence that says that a step is hypothetical, with the bytes that it needs and that a device
/// has. Returns an empty string if memory.hypothetical() is false.
std::string hypothetical_note(StepMemory const& memory);

}  // namespace ddproxy
