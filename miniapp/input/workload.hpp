// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "miniapp/input/config.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/cost/step_work.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// The work of a backward pass: its operators, the gradients that they complete, and the seconds of the
/// operators if these are known.
struct Workload {
  /// The operators and gradients. If a file of layer or gradient times is replayed, each row of the file is
  /// an operator.
  model::BackwardPass pass;
  std::vector<std::int64_t> gradient_bytes;  ///< bytes of each gradient in memory, in ready order
  std::vector<double> operation_seconds;  ///< seconds of each operator, from the roofline or [compute] times;
                                          ///< empty if unknown
  std::int64_t bytes() const;             ///< bytes of all gradients in memory
  WireFormat wire = WireFormat::fp32;
};

/// Returns the workload of an input. Throws std::invalid_argument if the file that [compute] times names
/// is wrong or does not fit the model.
Workload make_workload(Config const& config);

/// Returns the roofline seconds of the parts of a whole step: of each operator in each phase, and of the
/// norm, clip and update tasks. `pass` is the backward pass of the input's model. `clipped` says whether the
/// step clips its gradients. Returns nothing if [machine] lacks peak_flops or bandwidth. Returns nothing,
/// too, if [compute] times replaces the roofline, because such a file has times of the backward pass only.
std::optional<model::PhaseCosts> roofline_phases(Config const& config, model::BackwardPass const& pass,
                                                 bool clipped);

/// Returns the ready time r_i of each gradient in seconds: the time from the start of the backward pass to
/// the end of the operator that completes gradient i. `operation_seconds` has the seconds of each operator.
/// r_i is their sum up to and including that operator.
std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds);

/// Returns the operations that a calibration runs at the same time as all-reduces, to measure kappa and
/// gamma. They are the linear operations of one layer: the first layer of the backward pass that has any. The
/// result has indices into BackwardPass::operations.
std::vector<std::size_t> contention_operations(Workload const& workload);

/// Returns a(x), the seconds of an all-reduce of x bytes on the wire, from the table that the input names.
/// Returns nothing if the input names no table. If the table is wrong, throws std::invalid_argument with a
/// message that names the file.
std::optional<model::TableCost> input_cost(Config const& config);

}  // namespace ddproxy
