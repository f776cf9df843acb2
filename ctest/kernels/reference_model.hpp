// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "model/transformer/gpt2.hpp"
#include "reference.hpp"

namespace ddproxy::reference {

using Tensors = std::map<std::string, Array>;

/// The data of one step: tokens [batch, sequence], and for each token the token that the model should
/// predict.
struct Step {
  Size batch;
  Size sequence;
  Tokens inputs;
  Tokens targets;
};

/// Returns the mean loss of the whole model. Parameters have the names of model::Gradient.
double loss(model::Shape const& shape, Tensors const& parameters, Step const& step);

/// Returns the gradients of the loss, under the names of the parameters.
Tensors gradients(model::Shape const& shape, Tensors const& parameters, Step const& step);

/// Computes weights and tokens by the same formulas as golden.py.
Tensors formula_weights(model::Shape const& shape);
Step formula_step(model::Shape const& shape, Size batch, Size sequence);

}  // namespace ddproxy::reference
