// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "model/cost/operation_work.hpp"
#include "model/transformer/shape.hpp"

// Closed forms of the memory of activations. docs/model.md derives them.

namespace ddproxy::model {

/// Elements of activations for each token.
struct ActivationElements {
  std::int64_t layer = 0;      ///< kept by one layer for its backward pass
  std::int64_t outside = 0;    ///< kept outside of layers: last residual stream, last norm, logits, loss
  std::int64_t gradients = 0;  ///< gradients of activations, which all layers share
};

/// Returns the elements that the kernels of ddproxy keep for each token. A layer of a GPT-2 with d = d_model
/// and d_ff = 4 d keeps 16 d + heads + 4. These are: its input and the residual stream between attention and
/// feed-forward layer (2 d); the results of two norms (2 d) and their statistics (4); queries, keys and
/// values (3 d); the result of the attention (d); for each head, the logarithm of the sum of exp(score)
/// (heads); input and result of the activation function (8 d). The scores are not kept. Throws what check()
/// (shape.hpp) throws.
ActivationElements activation_elements(Shape const& shape);

/// Returns the bytes of the activations of all layers, by the formula of Korthikanti et al., "Reducing
/// Activation Recomputation in Large Transformer Models", 2022, equation 2: s b h (34 + 5 a s / h) for each
/// layer, with s tokens in a sequence, b sequences, h = d_model and a heads. The formula holds for fp16, d_ff
/// = 4 h, dropout, and stored scores.
double korthikanti_bytes(Shape const& shape, Tokens tokens);

}  // namespace ddproxy::model
