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

/// What a run works on: the operators of the backward pass, the gradients that they complete, and their costs
/// as far as they are known.
struct Workload {
  /// The operators and gradients. If layer or gradient times are replayed, each row of their file is an
  /// operator.
  model::BackwardPass pass;
  std::vector<std::int64_t> gradient_bytes;  ///< bytes of each gradient in memory, in ready order
  std::vector<double>
      operation_seconds;  ///< seconds of each operator by the roofline or compute.times; empty if unknown
  std::int64_t bytes() const;  ///< bytes of all gradients in memory
  WireFormat wire = WireFormat::fp32;
};

/// Returns the workload of an input. Throws std::invalid_argument if the file compute.times does not fit the
/// model.
Workload make_workload(Config const& config);

/// Returns the roofline seconds of each part of a whole step: of an operator in each phase, and of norm, clip
/// and update. `pass` is that of the input's model. Returns nothing if [machine] lacks a peak rate, or if
/// compute.times replaces the roofline: such a file has times of the backward pass only.
std::optional<model::PhaseCosts> roofline_phases(Config const& config, model::BackwardPass const& pass,
                                                 bool clipped);

/// Returns the ready time r_i of each gradient in seconds: the time from the start of the backward pass to
/// the end of the operator that completes gradient i. It is the sum of the seconds of all operators up to
/// that one.
std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds);

/// Returns a(x) of the input's all-reduce table, where x is bytes on the wire; nothing if the input names no
/// table. Throws std::invalid_argument that names the file if the table is wrong.
std::optional<model::TableCost> input_cost(Config const& config);

}  // namespace ddproxy
