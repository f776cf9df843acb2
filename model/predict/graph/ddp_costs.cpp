// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/ddp_costs.hpp"

#include <stdexcept>
#include <string>

namespace ddproxy::model {

double copy_seconds(Slice slice, TensorLayout const& layout, Copies const& copies) {
  const auto bytes = static_cast<std::int64_t>(slice.count) * gradient_element_bytes;
  return copy_seconds({layout.tensor_of(slice.offset), layout.tensor_of(slice.end() - 1), bytes, 0}, copies);
}

StepCosts ddp_costs(RankGraphs const& step, BackwardPass const& pass,
                    std::span<const double> operator_seconds, AllreduceCost const& cost,
                    Contention const& contention, Copies const& copies, double handover) {
  if (operator_seconds.size() != pass.operations.size()) {
    throw std::invalid_argument("step costs: " + std::to_string(operator_seconds.size()) +
                                " operator times are given, but the backward pass has " +
                                std::to_string(pass.operations.size()) + " operators");
  }
  CostModel model{.seconds = [&](std::size_t, Task const& task) {
    auto const* compute = std::get_if<Compute>(&task.work);
    return compute ? operator_seconds[index(compute->op)]
                   : copy_seconds(task.accesses.front().slice, pass.gradients, copies);
  }};
  model.collectives.set(Verb::all_reduce, cost);
  model.contention = contention;
  model.handover = handover;
  return step_costs(step, model);
}

}  // namespace ddproxy::model
