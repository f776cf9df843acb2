// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/step_work.hpp"

#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

// AdamW for each parameter, in flops: decay p (1); m = b1 m + (1 - b1) g (3); v = b2 v + (1 - b2) g g (4);
// denominator = root(v) / c + epsilon (3); p -= rate m / denominator (3).
constexpr double update_flops = 14, update_bytes = 28;

void check_times(std::vector<double> const& seconds, std::size_t operators, std::string const& phase) {
  if (seconds.size() == operators) return;
  throw std::invalid_argument("step costs: " + std::to_string(seconds.size()) + " time values for " + phase +
                              " operators are given, but the model has " + std::to_string(operators) +
                              " operators");
}

}  // namespace

Work operator_work(Shape const& shape, Operation const& operation, Tokens tokens, Phase phase,
                   int element_bytes) {
  switch (phase) {
    case Phase::forward:
    case Phase::recompute:
      return forward_work(shape, operation, tokens, element_bytes);
    case Phase::backward:
      return backward_work(shape, operation, tokens, element_bytes);
    default:
      throw std::invalid_argument(
          "operator work: operators run in the phases forward, recompute and backward");
  }
}

Work update_work(std::int64_t parameters, bool clipped) {
  const auto n = static_cast<double>(parameters);
  return {(update_flops + (clipped ? 1 : 0)) * n, update_bytes * n};
}

Work norm_work(std::int64_t parameters) {
  const auto n = static_cast<double>(parameters);
  return {2 * n, 4 * n};
}

Work clip_work(std::int64_t parameters) {
  const auto n = static_cast<double>(parameters);
  return {n, 8 * n};
}

std::int64_t product_parameters(Shape const& shape) {
  std::int64_t sum = 0;
  for (Operation const& operation : backward_pass(shape).operations) {
    if (operation.kind == OperationKind::linear || operation.kind == OperationKind::head)
      sum += operation.in * operation.out;
  }
  return sum;
}

ModelFlops model_flops(Shape const& shape, Tokens tokens) {
  const auto count = static_cast<double>(tokens.count());
  const double width = static_cast<double>(shape.layers) * static_cast<double>(shape.d_model);
  return {6 * static_cast<double>(product_parameters(shape)) * count,
          12 * width * static_cast<double>(tokens.sequence) * count};
}

void check_times(PhaseCosts const& phases, std::size_t operators) {
  check_times(phases.forward, operators, "forward");
  check_times(phases.backward, operators, "backward");
  if (!phases.recompute.empty()) check_times(phases.recompute, operators, "recompute");
}

double task_seconds(PhaseCosts const& phases, Compute const& compute, std::int64_t gradients) {
  const auto of_gradients = [&](auto const& seconds) { return seconds ? seconds(gradients) : 0.0; };
  const std::size_t o = index(compute.op);
  switch (compute.phase) {
    case Phase::forward:
      return phases.forward[o];
    case Phase::recompute:
      return phases.recompute.empty() ? phases.forward[o] : phases.recompute[o];
    case Phase::backward:
      return phases.backward[o];
    case Phase::norm:
      return of_gradients(phases.norm);
    case Phase::clip:
      return of_gradients(phases.clip);
    case Phase::update:
      return of_gradients(phases.update);
  }
  throw std::logic_error("step costs: unknown phase");
}

PhaseCosts modelled_phases(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                           Machine const& machine, int element_bytes, bool clipped) {
  PhaseCosts costs;
  const auto seconds = [&](Operation const& operation, Phase phase) {
    return roofline_seconds(operator_work(shape, operation, tokens, phase, element_bytes), machine);
  };
  for (Operation const& operation : pass.operations) {
    costs.forward.push_back(seconds(operation, Phase::forward));
    costs.backward.push_back(seconds(operation, Phase::backward));
  }
  costs.norm = [machine](std::int64_t n) { return roofline_seconds(norm_work(n), machine); };
  costs.clip = [machine](std::int64_t n) { return roofline_seconds(clip_work(n), machine); };
  costs.update = [machine, clipped](std::int64_t n) {
    return roofline_seconds(update_work(n, clipped), machine);
  };
  return costs;
}

}  // namespace ddproxy::model
