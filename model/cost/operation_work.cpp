// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/operation_work.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

/// Sizes of one operation. They are floating-point numbers, because for large models products of sizes exceed
/// 64 bits.
struct Extents {
  double in;      ///< input elements
  double out;     ///< output elements
  double weight;  ///< elements of the table or the weight
  double bias;    ///< elements of the bias; 0 if there is none
  double map;     ///< multiplications of a linear map
  double scores;  ///< elements of all attention matrices, including the masked half
  double head;    ///< features of one head
};

Extents extents(Shape const& shape, Operation const& operation, Tokens tokens) {
  if (tokens.batch <= 0 || tokens.sequence <= 0) {
    throw std::invalid_argument("step: batch and sequence must be positive");
  }
  const double sequence = static_cast<double>(tokens.sequence);
  const double rows = static_cast<double>(tokens.batch) * sequence;
  const double in = static_cast<double>(operation.in);
  const double out = static_cast<double>(operation.out);
  const bool has_bias = shape.biases && operation.kind == OperationKind::linear;
  const double heads = static_cast<double>(shape.heads);
  return {rows * in,  rows * out, in * out, has_bias ? out : 0.0, rows * in * out, rows * sequence * heads,
          out / heads};
}

// The functions below count elements; to_bytes() converts them to bytes. A transcendental function counts as
// one flop: on every machine the memory bandwidth limits the operations that use such a function, so its
// flops do not matter.

/// Counts dX = dY W^T, dW = X^T dY, db = sum of dY.
Work linear_backward(Extents const& n) {
  Work work{4 * n.map, 2 * (n.in + n.out + n.weight)};
  if (n.bias == 0) return work;
  return {work.flops + n.out, work.bytes + n.out + n.bias};
}

Work linear_forward(Extents const& n) {
  return {2 * n.map + (n.bias > 0 ? n.out : 0.0), n.in + n.out + n.weight + n.bias};
}

/// Counts dP = dO V^T, dV = P^T dO, dS = P (dP - sum of P dP), dQ = dS K, dK = dS^T Q.
Work attention_backward(Extents const& n) {
  return {8 * n.scores * n.head + 4 * n.scores, 2 * n.in + 2 * n.out + 7 * n.scores};
}

/// Counts S = Q K^T, P = softmax(S), O = P V.
Work attention_forward(Extents const& n) {
  return {4 * n.scores * n.head + 5 * n.scores, n.in + n.out + 4 * n.scores};
}

/// Counts two products and one sum for each element, in place. The cosines and sines stay in cache.
Work rotation(Extents const& n) {
  return {3 * n.out, 2 * n.out};
}

Work backward_elements(OperationKind kind, bool tied, Extents const& n) {
  switch (kind) {
    case OperationKind::cross_entropy:  // (probability - target) / tokens
      return {3 * n.out, 2 * n.out};
    case OperationKind::linear:
    case OperationKind::head:
      return linear_backward(n);
    case OperationKind::norm:  // reads dY, X and the residual's gradient; writes the residual's gradient
      return {12 * n.out, 4 * n.out};
    case OperationKind::activation:  // reads X and dY, writes dX
      return {15 * n.out, 2 * n.in + n.out};
    case OperationKind::attention:
      return attention_backward(n);
    case OperationKind::rope:
      return rotation(n);
    case OperationKind::position_table:  // sums over the batch; zeroes the rest of the table
      return {n.out, n.out + n.weight};
    case OperationKind::token_table:  // adds rows to a table; the head has assigned the table if
                                      // tied, otherwise the table is zeroed first
      return {n.out, 3 * n.out + (tied ? 0.0 : n.weight)};
  }
  return {};
}

Work forward_elements(OperationKind kind, Extents const& n) {
  switch (kind) {
    case OperationKind::cross_entropy:  // maximum, exponential, sum, division
      return {4 * n.out, 2 * n.out};
    case OperationKind::linear:
    case OperationKind::head:
      return linear_forward(n);
    case OperationKind::norm:  // includes the addition to the residual stream before it
      return {8 * n.out, 4 * n.out};
    case OperationKind::activation:
      return {8 * n.out, n.in + n.out};
    case OperationKind::attention:
      return attention_forward(n);
    case OperationKind::rope:
      return rotation(n);
    case OperationKind::position_table:  // adds rows of the table to the tokens' rows
      return {n.out, 3 * n.out};
    case OperationKind::token_table:  // copies the tokens' rows
      return {0.0, 2 * n.out};
  }
  return {};
}

Work to_bytes(Work work, int element_bytes) {
  if (element_bytes <= 0) throw std::invalid_argument("work: an element must have at least one byte");
  work.bytes *= element_bytes;
  return work;
}

}  // namespace

Work backward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes) {
  return to_bytes(backward_elements(operation.kind, shape.tied, extents(shape, operation, tokens)),
                  element_bytes);
}

Work forward_work(Shape const& shape, Operation const& operation, Tokens tokens, int element_bytes) {
  return to_bytes(forward_elements(operation.kind, extents(shape, operation, tokens)), element_bytes);
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
