// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/cost/operation_work.hpp"
#include "model/step/step_graph.hpp"

// The work of a whole training step. Each function states what it counts; docs/model.md has the formulas.

namespace ddproxy::model {

/// Returns flops and bytes of an operator in a phase: forward, recompute (which repeats forward) or backward.
/// Throws std::invalid_argument for another phase, and what backward_work() (operation_work.hpp) throws.
Work operator_work(Shape const& shape, Operation const& operation, Tokens tokens, Phase phase,
                   int element_bytes);

/// Returns the work of one AdamW update of `parameters` parameters in fp32. Each parameter takes 28 bytes:
/// parameter, gradient and both moments are read, and all except the gradient are written. Each parameter
/// takes 14 flops, and one more if the update scales the gradient to clip it. A root and a division count as
/// one flop each.
Work update_work(std::int64_t parameters, bool clipped);

/// Returns the work of the gradient norm, which adds the squares of `parameters` gradients: 4 bytes and 2
/// flops for each gradient.
Work norm_work(std::int64_t parameters);

/// Returns the work of scaling `parameters` gradients in place: 8 bytes and 1 flop for each gradient. Only a
/// step without an optimizer does this work. In other steps the update reads the gradients anyway and scales
/// them.
Work clip_work(std::int64_t parameters);

/// Returns the number of parameters that matrix products use: the weights of linear layers and of the output
/// head. A token table that is not tied to the head, a position table, biases and norms are not counted.
std::int64_t product_parameters(Shape const& shape);

/// The flops that the mathematics of a step needs. An implementation may execute more.
struct ModelFlops {
  double products = 0;   ///< 6 x product_parameters() x tokens
  double attention = 0;  ///< 12 x layers x d_model x sequence x tokens
  double total() const { return products + attention; }
};

/// Returns the model flops of a step with `tokens`. For each token, each weight costs 2 flops (a product and
/// a sum) in the forward pass and 4 in the backward pass. The two products of attention (scores;
/// probabilities times values) cost 4 x layers x d_model x sequence flops for each token in the forward pass,
/// and 8 x layers x d_model x sequence in the backward pass. The masked half of the scores is counted, as in
/// PaLM (Chowdhery et al., 2022, appendix B). Recomputed operators, element-wise operators and the optimizer
/// are not counted.
ModelFlops model_flops(Shape const& shape, Tokens tokens);

/// Seconds of everything that a step computes, while no communication runs. An operator is an index into
/// BackwardPass::operations.
struct PhaseCosts {
  std::vector<double> forward;         ///< seconds [operator]
  std::vector<double> backward;        ///< seconds [operator]
  std::vector<double> recompute = {};  ///< seconds [operator]; empty: the same as `forward`
  /// These functions return the seconds of one task that works on `parameters` parameters. A function may be
  /// empty if the step has no such task.
  std::function<double(std::int64_t parameters)> norm = {}, clip = {}, update = {};
};

/// Checks that `phases` has a forward and a backward time for each of `operators` operators, and recompute
/// times for all of them or for none. Throws std::invalid_argument otherwise.
void check_times(PhaseCosts const& phases, std::size_t operators);

/// Returns the seconds of one compute task, alone on the machine. `gradients` is the number of gradient
/// elements that the task reads or writes; only norm, clip and update tasks need it. `phases` must have a
/// time of the task's operator, as check_times() checks. If the function of `phases` for the task is empty,
/// returns 0. Prediction and replay of a step both call this function.
double task_seconds(PhaseCosts const& phases, Compute const& compute, std::int64_t gradients);

/// Returns the roofline seconds of each part of a step. `element_bytes` is the size of activations and
/// weights in the passes; the optimizer works in fp32. `clipped` is true if the update also scales the
/// gradients to clip them. The result has no times of recompute, because recompute takes as long as forward.
/// Throws what operator_work() and roofline_seconds() throw.
PhaseCosts modelled_phases(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                           Machine const& machine, int element_bytes, bool clipped);

}  // namespace ddproxy::model
