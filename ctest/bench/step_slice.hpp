// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "miniapp/compute/step_lane.hpp"
#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy::bench {

/// Returns the preset's shape with the given numbers of layers and of tokens in the vocabulary. Throws as
/// find_preset() and check() do.
model::Shape slice_of(std::string const& preset, std::int64_t layers, std::int64_t vocabulary);

/// The elapsed seconds or the processor seconds of the phases of a step.
struct PhaseSeconds {
  double forward, backward, update;
  double step() const { return forward + backward + update; }
};

/// One step's elapsed seconds and the processor seconds of all threads.
struct StepSeconds {
  PhaseSeconds elapsed, processor;
};

/// Times whole steps of a model on one rank: forward, backward and AdamW for one micro-batch, without
/// clipping and without communication. It owns the memory of the step.
class StepSlice {
 public:
  /// Allocates the memory, and assigns random weights and tokens. Throws as StepLane does.
  StepSlice(model::Shape const& shape, model::Tokens tokens);

  /// Runs one step. Returns when it is done.
  StepSeconds run();
  /// Returns the mean loss of the last step's tokens before its update.
  double loss() const { return lane_->loss(); }
  std::int64_t parameters() const { return parameters_; }

 private:
  void run_phase(model::Phase phase);

  std::int64_t parameters_;
  model::StepGraph graph_;
  StepPlaces places_;
  CompiledStep step_;
  std::optional<StepLane> lane_;
};

}  // namespace ddproxy::bench
