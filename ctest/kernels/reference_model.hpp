// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "model/transformer/gpt2.hpp"
#include "reference.hpp"

namespace ddproxy::reference {

using Tensors = std::map<std::string, Array>;

/// One step's data: tokens [B, T] and those that follow.
struct Step {
  Size batch;
  Size sequence;
  Tokens inputs;
  Tokens targets;
};

/// Mean loss of the whole model; parameters named as in model::Gradient.
double loss(model::Shape const& shape, Tensors const& parameters, Step const& step);

/// Its gradients, under the parameters' names.
Tensors gradients(model::Shape const& shape, Tensors const& parameters, Step const& step);

/// Weights and tokens by formula, the same as in golden.py.
Tensors formula_weights(model::Shape const& shape);
Step formula_step(model::Shape const& shape, Size batch, Size sequence);

}  // namespace ddproxy::reference
