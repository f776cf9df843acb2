// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "kernels/adamw.hpp"
#include "miniapp/compute/token_batch.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// What a rank trains with in a whole step.
struct StepInput {
  model::Shape shape;
  model::Tokens tokens;                       ///< of one micro-batch
  std::vector<TokenBatch> batches;            ///< [micro-batch]
  kernels::AdamwSettings optimizer = {};      ///< used by steps that update
  std::optional<double> clip = std::nullopt;  ///< the largest norm of the gradients, for steps that clip
};

/// Throws std::invalid_argument with one line if the shape is wrong, if the tokens of a micro-batch do not
/// fit the shape or are missing, or if the step clips and `input.clip` is not positive. `graph` is the step.
void check_input(StepInput const& input, model::StepGraph const& graph);

}  // namespace ddproxy
