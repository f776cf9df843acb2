// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "kernels/adamw.hpp"
#include "miniapp/compute/token_batch.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

/// The model, the tokens and the optimizer's settings with which a rank carries out whole steps.
struct StepInput {
  model::Shape shape;
  model::Tokens tokens;                       ///< size of one micro-batch
  std::vector<TokenBatch> batches;            ///< [micro-batch]
  kernels::AdamwSettings optimizer = {};      ///< used by steps that update
  std::optional<double> clip = std::nullopt;  ///< largest allowed norm of the gradients, for steps that clip
};

/// Checks that the input fits `graph`, the graph of the step. Throws std::invalid_argument with one line in
/// these cases: the shape or the size of a micro-batch is wrong; the number of micro-batches is not that of
/// the step; a micro-batch has a wrong number of tokens, or a token that is not in the vocabulary; the step
/// clips gradients, and `input.clip` is missing or not positive.
void check_input(StepInput const& input, model::StepGraph const& graph);

}  // namespace ddproxy
