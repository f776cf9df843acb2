// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "miniapp/compute/step_operators.hpp"

namespace ddproxy::step {
namespace {

std::size_t parts_of_qkv(model::Shape const& shape) {
  return shape.qkv == model::Qkv::fused ? 1 : 3;
}

std::size_t rotated_parts(model::Shape const& shape) {
  return shape.qkv == model::Qkv::fused ? 1 : 2;  // queries and keys; values are not rotated
}

[[noreturn]] void refuse() {
  throw std::logic_error(
      "there is no kernel for an operator of a whole step: its kind or its phase is unknown");
}

std::size_t forward_places(model::Shape const& shape, Operator const& op) {
  const std::size_t biases = op.biased ? 1 : 0, streams = op.ends_branch ? 1 : 0;
  switch (op.kind) {
    case model::OperationKind::token_table:
    case model::OperationKind::position_table:
      return 2;
    case model::OperationKind::norm:
      return 4 + biases;
    case model::OperationKind::linear:
      return 3 + streams + biases;
    case model::OperationKind::rope:
      return rotated_parts(shape);
    case model::OperationKind::attention:
      return parts_of_qkv(shape) + 2;
    case model::OperationKind::activation:
      return shape.activation == model::Activation::swiglu ? 3 : 2;
    case model::OperationKind::head:
    case model::OperationKind::cross_entropy:
      return 3;
  }
  refuse();
}

std::size_t backward_places(model::Shape const& shape, Operator const& op) {
  const std::size_t biases = op.biased ? 1 : 0;
  switch (op.kind) {
    case model::OperationKind::token_table:
    case model::OperationKind::position_table:
      return 2;
    case model::OperationKind::norm:
      return 6 + biases;
    case model::OperationKind::linear:
      return 5 + biases;
    case model::OperationKind::rope:
      return rotated_parts(shape);
    case model::OperationKind::attention:
      return 2 * parts_of_qkv(shape) + 3;
    case model::OperationKind::activation:
      return shape.activation == model::Activation::swiglu ? 4 : 2;
    case model::OperationKind::head:
      return 5;
    case model::OperationKind::cross_entropy:
      return 3;
  }
  refuse();
}

}  // namespace

std::size_t places_of(model::Shape const& shape, Operator const& op, model::Phase phase, bool clips) {
  switch (phase) {
    case model::Phase::forward:
    case model::Phase::recompute:
      return forward_places(shape, op);
    case model::Phase::backward:
      return backward_places(shape, op);
    case model::Phase::norm:
    case model::Phase::clip:
      return 2;
    case model::Phase::update:
      return clips ? 5 : 4;
  }
  refuse();
}

}  // namespace ddproxy::step
