// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "miniapp/input/config.hpp"
#include "model/cost/allreduce_cost.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// What a run works on: the operations of the backward pass, the gradients they complete, and what is known
/// of their cost.
struct Workload {
  model::BackwardPass pass;  ///< with replayed layer or gradient times: an operation a row of that file
  std::vector<std::int64_t> gradient_bytes;  ///< in ready order
  std::vector<double>
      operation_seconds;       ///< of the roofline or of compute.times; empty where neither is given
  std::int64_t bytes() const;  ///< of all gradients
  WireFormat wire = WireFormat::fp32;
};

/// Throws std::invalid_argument where compute.times does not fit the model.
Workload make_workload(Config const& config);

/// r_i: the running sum of the operations' seconds up to the one that completes gradient i.
std::vector<double> ready_times(model::BackwardPass const& pass,
                                std::vector<double> const& operation_seconds);

/// The all-reduce table of the input, by bytes on the wire; nothing where it names none.
std::optional<model::TableCost> input_cost(Config const& config);

}  // namespace ddproxy
