// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/cost/layer_cost.hpp"
#include "model/step/step_graph.hpp"

// The work of a whole training step. Each function states what it counts; docs/model.md has the formulas.

namespace ddproxy::model {

/// Returns flops and bytes of an operator in a phase: forward, recompute (which is forward again) or
/// backward. Throws std::invalid_argument for another phase, and as backward_work() does.
Work operator_work(Shape const& shape, Operation const& operation, Tokens tokens, Phase phase,
                   int element_bytes);

/// Returns the work of one AdamW update of that many parameters. 28 bytes a parameter: parameter, gradient
/// and both moments are read, all but the gradient are written, all in fp32. 14 flops a parameter, a root and
/// a division counted as one each, and one more if the update scales the gradient to clip it.
Work update_work(std::int64_t parameters, bool clipped);

/// Returns the work of adding the squares of that many gradients: 4 bytes and 2 flops a gradient.
Work norm_work(std::int64_t parameters);

/// Returns the work of scaling that many gradients in place: 8 bytes and 1 flop a gradient. Only a step
/// without an optimizer does it; elsewhere the update scales what it has read already.
Work clip_work(std::int64_t parameters);

/// Returns the parameters that matrix products use: the weights of linear maps and of the output head. A
/// token table that is not tied to the head, a position table, biases and norms are not among them.
std::int64_t product_parameters(Shape const& shape);

/// The flops of a step that the model needs, whatever an implementation executes.
struct ModelFlops {
  double products = 0;   ///< 6 N tokens; N: product_parameters()
  double attention = 0;  ///< 12 layers d_model sequence tokens
  double total() const { return products + attention; }
};

/// Returns the model flops of `tokens`. Each weight costs a product and a sum for each token in the forward
/// pass and twice that in the backward pass: 6. The scores of attention and their use cost 4 layers d_model
/// sequence flops a token forward and 8 backward, with the masked half counted, as in PaLM (Chowdhery et al.,
/// 2022, appendix B). Recomputed operators, element-wise ones and the optimizer are not counted.
ModelFlops model_flops(Shape const& shape, Tokens tokens);

/// Seconds of everything that a step computes, alone on the machine.
struct PhaseCosts {
  std::vector<double> forward;         ///< [operator: index into BackwardPass::operations]
  std::vector<double> backward;        ///< [operator]
  std::vector<double> recompute = {};  ///< [operator]; empty: as forward
  /// Seconds of one task over that many parameters; empty: none.
  std::function<double(std::int64_t parameters)> norm = {}, clip = {}, update = {};
};

/// Throws std::invalid_argument unless `phases` has a time of each of so many operators: forward, backward,
/// and recompute if that is not empty.
void check_times(PhaseCosts const& phases, std::size_t operators);

/// Returns the seconds of one compute task, alone on the machine. `gradients` is the number of gradient
/// elements that the task reads or writes; only norm, clip and update tasks need it. `phases` must have a
/// time of the task's operator, as check_times() checks. Prediction and replay of a step both call this
/// function.
double task_seconds(PhaseCosts const& phases, Compute const& compute, std::int64_t gradients);

/// Returns the roofline seconds of each part of a step. `element_bytes` is the size of activations and
/// weights in the passes; the optimizer works in fp32.
PhaseCosts modelled_phases(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                           Machine const& machine, int element_bytes, bool clipped);

}  // namespace ddproxy::model
