// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transformer/presets.hpp"
#include "model/transformer/shape.hpp"
#include "model/transformer/tensor_layout.hpp"

namespace ddproxy::model {

/// What an operation of the backward pass does.
enum class OperationKind {
  cross_entropy,  ///< computes the gradient of the logits from the logits
  linear,         ///< gradients of bias, weight and input of a linear layer `in` -> `out`
  head,  ///< like linear, for the output head; completes the weight's gradient only if the model is not tied
  norm,  ///< layer norm or RMS norm; adds to the gradient of the residual stream, which ln_f sets
  activation,      ///< gradients of the inputs of GELU, or of the product in SwiGLU
  attention,       ///< gradients of causal scaled dot-product attention
  rope,            ///< rotation of queries and keys by their positions; the gradients are rotated back
  position_table,  ///< gradient of the position embedding
  token_table,     ///< gradient of the token embedding; added to the head's gradient in a tied model
};

/// The part of a layer whose parameters an operation uses. The parts of GPT-2 have the same names as in
/// Hugging Face's GPT-2. `none`: the operation has no parameters, or its kind alone says which parameters it
/// uses (output head and embeddings).
enum class Part {
  none,
  ln_1,
  c_attn,  ///< queries, keys and values in one linear layer
  q_proj,
  k_proj,
  v_proj,
  attn_c_proj,
  ln_2,
  c_gate,  ///< the gate of SwiGLU, which is multiplied with the result of c_fc
  c_fc,
  mlp_c_proj,
  ln_f
};

/// One operation of the backward pass. Operations are listed in the order in which they run.
struct Operation {
  std::string name;   ///< unique, for instance "h.3.mlp.c_proj"
  std::string layer;  ///< "lm_head", "ln_f", "h.3" or "embedding"
  OperationKind kind;
  std::int64_t in = 0;     ///< input features; of an embedding, the rows of its table
  std::int64_t out = 0;    ///< output features
  Part part = Part::none;  ///< set for norms and for linear layers in blocks
  std::optional<std::size_t> block =
      std::nullopt;  ///< number of the transformer block; none outside of blocks
};

/// The operations of a backward pass and the gradients that they complete.
struct BackwardPass {
  std::vector<Operation> operations;
  TensorLayout gradients;  ///< in ready order: by operation; the bias before the weight
};

/// Returns the backward pass of a model, last layer first. The gradients are in the order in which PyTorch
/// completes them: its autograd engine runs the nodes in the reverse order of the forward pass. So v_proj
/// comes before k_proj, k_proj before q_proj, and c_fc before c_gate. The position embedding (wpe) comes
/// before the token embedding (wte). The token embedding is the last gradient, tied or not. Throws what
/// check() (shape.hpp) throws.
BackwardPass backward_pass(Shape const& shape);

/// Returns the number of parameters: the sum of the elements of all gradients.
std::int64_t parameters(BackwardPass const& pass);

}  // namespace ddproxy::model
