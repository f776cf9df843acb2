// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/cost/step_work.hpp"

namespace ddproxy::model {

/// What a kernel does.
enum class KernelKind {
  product,     ///< a matrix product, or a batch of equal products with one for each head
  norm,        ///< layer norm or RMS norm
  softmax,     ///< softmax of attention, or its gradient
  activation,  ///< GELU, or the product in SwiGLU
  update,      ///< AdamW of one parameter tensor
  other        ///< embeddings, loss, rotations, gradients of biases
};

/// The work of one kernel.
struct KernelWork {
  KernelKind kind = KernelKind::other;
  Work work;
};

/// Returns the kernels that carry out an operator in a phase, with one kernel for each matrix product and for
/// each pass over the elements. Their work adds up to operator_work(). Throws as operator_work() does.
std::vector<KernelWork> operator_kernels(Shape const& shape, Operation const& operation, Tokens tokens,
                                         Phase phase, int element_bytes);

/// The part of a step that one measured time covers.
enum class TimedPart { forward, backward, forward_backward, step };

/// Returns the kernels of a part of a step on one device. `element_bytes` is the size of activations and
/// weights. A step consists of the forward pass, the backward pass and AdamW in fp32. AdamW has one kernel
/// for each parameter tensor. Throws as operator_work() does.
std::vector<KernelWork> part_kernels(Shape const& shape, Tokens tokens, TimedPart part, int element_bytes);

}  // namespace ddproxy::model
