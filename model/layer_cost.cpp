// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/layer_cost.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddproxy::model {
namespace {

/// Features and rows of one operation as floating-point numbers: the products exceed 64 bits for large
/// models.
struct Extents {
  double rows;  ///< tokens of the rank
  double in;
  double out;
  double scores;  ///< elements of all attention matrices
  double biases;  ///< elements of the bias of a linear map
};

Extents extents(Shape const& shape, Operation const& operation, Tokens tokens) {
  if (tokens.batch <= 0 || tokens.sequence <= 0) {
    throw std::invalid_argument("step: batch and sequence must be positive");
  }
  const double rows = static_cast<double>(tokens.batch) * static_cast<double>(tokens.sequence);
  const double out = static_cast<double>(operation.out);
  const bool has_bias = shape.biases && operation.kind == OperationKind::linear;
  return {rows, static_cast<double>(operation.in), out,
          rows * static_cast<double>(tokens.sequence) * static_cast<double>(shape.heads),
          has_bias ? out : 0.0};
}

// Below, `bytes` counts elements; to_bytes() scales it. Flops of transcendental functions are counted as one
// each: these operations are bound by memory on every machine.

Work backward_elements(Shape const& shape, Operation const& operation, Extents const& n) {
  switch (operation.kind) {
    case OperationKind::cross_entropy:  // dlogits = (probability - target) / tokens
      return {3 * n.rows * n.out, 2 * n.rows * n.out};
    case OperationKind::linear:  // dX = dY W^T, dW = X^T dY, db = sum of dY
    case OperationKind::head:
      return {4 * n.rows * n.in * n.out + n.rows * n.biases,
              2 * n.rows * n.in + n.rows * n.out + 2 * n.in * n.out + n.biases};
    case OperationKind::norm:  // reads dY, X and the residual's gradient, writes the latter
      return {12 * n.rows * n.out, 4 * n.rows * n.out};
    case OperationKind::activation:  // reads X and dY, writes dX
      return {15 * n.rows * n.out, n.rows * (2 * n.in + n.out)};
    case OperationKind::attention:  // dP = dO V^T, dV = P^T dO, dQ = dS K, dK = dS^T Q; reads qkv, dO and P,
                                    // writes dqkv
      return {8 * n.scores / static_cast<double>(shape.heads) * n.out + 4 * n.scores,
              n.rows * (2 * n.in + n.out) + n.scores};
    case OperationKind::position_table:  // a sum over the batch
      return {n.rows * n.out, n.rows * n.out + n.in * n.out};
    case OperationKind::token_table:  // a row a token added to the table, which the head has filled or which
                                      // starts at zero
      return {n.rows * n.out, 3 * n.rows * n.out + (shape.tied ? 0.0 : n.in * n.out)};
  }
  return {};
}

Work forward_elements(Shape const& shape, Operation const& operation, Extents const& n) {
  switch (operation.kind) {
    case OperationKind::cross_entropy:  // maximum, exponential, sum, division
      return {4 * n.rows * n.out, 2 * n.rows * n.out};
    case OperationKind::linear:
    case OperationKind::head:
      return {2 * n.rows * n.in * n.out + n.rows * n.biases,
              n.rows * (n.in + n.out) + n.in * n.out + n.biases};
    case OperationKind::norm:  // with the sum of the residual stream before it
      return {8 * n.rows * n.out, 4 * n.rows * n.out};
    case OperationKind::activation:
      return {8 * n.rows * n.out, n.rows * (n.in + n.out)};
    case OperationKind::attention:  // S = Q K^T, P = softmax(S), O = P V; writes P for the backward pass
      return {4 * n.scores / static_cast<double>(shape.heads) * n.out + 5 * n.scores,
              n.rows * (n.in + n.out) + n.scores};
    case OperationKind::position_table:  // added to the token's row
      return {n.rows * n.out, 3 * n.rows * n.out};
    case OperationKind::token_table:  // a look-up
      return {0.0, 2 * n.rows * n.out};
  }
  return {};
}

Work to_bytes(Work work, int element_bytes) {
  if (element_bytes <= 0) throw std::invalid_argument("layer cost: an element must have at least one byte");
  work.bytes *= element_bytes;
  return work;
}

}  // namespace

Work backward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes) {
  return to_bytes(backward_elements(shape, operation, extents(shape, operation, tokens)), element_bytes);
}

Work forward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes) {
  return to_bytes(forward_elements(shape, operation, extents(shape, operation, tokens)), element_bytes);
}

double roofline_seconds(Work const& work, Machine const& machine) {
  if (!(machine.peak_flops > 0) || !(machine.bandwidth > 0)) {
    throw std::invalid_argument("machine: peak_flops and bandwidth must be positive");
  }
  if (!(machine.efficiency > 0) || machine.efficiency > 1) {
    throw std::invalid_argument("machine: efficiency must lie in (0, 1]");
  }
  return std::max(work.flops / machine.peak_flops, work.bytes / machine.bandwidth) / machine.efficiency;
}

std::vector<double> modelled_seconds(Shape const& shape, BackwardPass const& pass, Tokens tokens,
                                     Machine const& machine, int element_bytes) {
  std::vector<double> seconds;
  for (Operation const& operation : pass.operations) {
    seconds.push_back(roofline_seconds(backward_work(shape, operation, tokens, element_bytes), machine));
  }
  return seconds;
}

}  // namespace ddproxy::model
