// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "ctest/kernels/reference_model.hpp"
#include "ctest/miniapp/step_run.hpp"

// Sets up the training of golden_steps.py and golden_updates.py for the kernels.
namespace ddproxy {

inline constexpr int golden_batch = 2, golden_length = 16;  // sequences of a micro-batch, tokens of each

/// Returns this rank's share of the batch, two sequences in each micro-batch.
inline std::vector<TokenBatch> own_batches(model::Shape const& shape) {
  constexpr int sequences = 8;
  const auto all = reference::formula_step(shape, sequences, golden_length);
  const int own = sequences / test_runtime->ranks();
  std::vector<TokenBatch> batches;
  for (int first = test_runtime->rank() * own; first < (test_runtime->rank() + 1) * own;
       first += golden_batch) {
    const auto part = [&](std::vector<int> const& tokens) {
      return std::vector<int>(tokens.begin() + first * golden_length,
                              tokens.begin() + (first + golden_batch) * golden_length);
    };
    batches.push_back({part(all.inputs), part(all.targets)});
  }
  return batches;
}

/// Returns a step with the settings of golden_steps.py (CLIP, ADAMW) and this rank's batches.
inline StepCase golden_case(model::Shape const& shape, model::Checkpoint checkpoint) {
  StepCase c{shape, {golden_batch, golden_length}};
  c.batches = own_batches(shape);
  c.strategy.ddp.plan = plan_of(shape);
  c.strategy.micro_batches = static_cast<int>(c.batches.size());
  c.strategy.clipped = true;
  c.strategy.optimizer = model::Optimizer::adamw;
  c.strategy.checkpoint = checkpoint;
  c.clip = 0.5;
  c.optimizer = {.learning_rate = 3e-3, .beta2 = 0.95, .weight_decay = 0.1};
  return c;
}

/// Assigns the weights of golden_steps.py to the parameters of a step.
inline void assign_formula_weights(StepRun& step, model::Shape const& shape) {
  for (auto const& [tensor, values] : reference::formula_weights(shape)) {
    const Slice slice = step.slice_of(tensor);
    std::ranges::transform(values, step.parameters().subspan(slice.offset, slice.count).begin(),
                           [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace ddproxy
