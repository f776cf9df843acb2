// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/kernel_work.hpp"

#include <cstddef>

namespace ddproxy::model {
namespace {

/// Returns `products` matrix products of equal size and then `rest`. Together they do the work `whole`.
std::vector<KernelWork> products_and(Work const& whole, std::size_t products, KernelWork const& rest) {
  const auto n = static_cast<double>(products);
  const Work each{(whole.flops - rest.work.flops) / n, (whole.bytes - rest.work.bytes) / n};
  std::vector<KernelWork> kernels(products, KernelWork{KernelKind::product, each});
  if (rest.work.bytes > 0) kernels.push_back(rest);
  return kernels;
}

/// Returns the products dX and dW, which have the same flops and bytes, and the gradient of the bias, which
/// sums dY over the tokens.
std::vector<KernelWork> linear_backward(Shape const& shape, Operation const& operation, Tokens tokens,
                                        Work const& whole, int element_bytes) {
  KernelWork bias;
  if (shape.biases && operation.kind == OperationKind::linear) {
    const double out = static_cast<double>(operation.out);
    const double rows = static_cast<double>(tokens.count());
    bias.work = {rows * out, (rows * out + out) * element_bytes};
  }
  return products_and(whole, 2, bias);
}

/// Returns the kernels of attention. Forward: the scores S and the output O are products. The softmax reads S
/// and writes the probabilities P, with 5 flops for each score. Backward: dP, dV, dQ and dK are products. The
/// gradient of the softmax reads P and dP and writes dS, with 4 flops for each score. All products of a phase
/// have the same flops. Each product reads or writes one matrix of the queries' size, one of the keys' size,
/// and one of the scores' size.
std::vector<KernelWork> attention(Shape const& shape, Tokens tokens, Phase phase, Work const& whole,
                                  int element_bytes) {
  const double scores = static_cast<double>(tokens.count()) * static_cast<double>(tokens.sequence) *
                        static_cast<double>(shape.heads);
  const bool backward = phase == Phase::backward;
  const Work softmax{(backward ? 4 : 5) * scores, (backward ? 3 : 2) * scores * element_bytes};
  return products_and(whole, backward ? 4 : 2, {KernelKind::softmax, softmax});
}

void append(std::vector<KernelWork>& kernels, std::vector<KernelWork> const& more) {
  kernels.insert(kernels.end(), more.begin(), more.end());
}

}  // namespace

std::vector<KernelWork> operator_kernels(Shape const& shape, Operation const& operation, Tokens tokens,
                                         Phase phase, int element_bytes) {
  const Work whole = operator_work(shape, operation, tokens, phase, element_bytes);
  switch (operation.kind) {
    case OperationKind::linear:
    case OperationKind::head:
      if (phase == Phase::backward) return linear_backward(shape, operation, tokens, whole, element_bytes);
      return {{KernelKind::product, whole}};
    case OperationKind::attention:
      return attention(shape, tokens, phase, whole, element_bytes);
    case OperationKind::norm:
      return {{KernelKind::norm, whole}};
    case OperationKind::activation:
      return {{KernelKind::activation, whole}};
    case OperationKind::cross_entropy:
    case OperationKind::rope:
    case OperationKind::position_table:
    case OperationKind::token_table:
      break;
  }
  return {{KernelKind::other, whole}};
}

std::vector<KernelWork> part_kernels(Shape const& shape, Tokens tokens, TimedPart part, int element_bytes) {
  const BackwardPass pass = backward_pass(shape);
  std::vector<KernelWork> kernels;
  for (Operation const& operation : pass.operations) {
    if (part != TimedPart::backward)
      append(kernels, operator_kernels(shape, operation, tokens, Phase::forward, element_bytes));
    if (part != TimedPart::forward)
      append(kernels, operator_kernels(shape, operation, tokens, Phase::backward, element_bytes));
  }
  if (part != TimedPart::step) return kernels;
  for (Gradient const& gradient : pass.gradients)
    kernels.push_back({KernelKind::update, update_work(gradient.numel, false)});
  return kernels;
}

}  // namespace ddproxy::model
