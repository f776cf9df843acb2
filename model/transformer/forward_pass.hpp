// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transformer/gpt2.hpp"

// The forward pass: which operator reads and writes which activations, and what it leaves for its backward
// counterpart. Every operator of the backward pass has one counterpart, and they run in reverse order. An
// operator and its counterpart have the same number, the index into BackwardPass::operations.

namespace ddproxy::model {

/// What an operator does with a tensor.
enum class Use {
  read,
  assign,  ///< overwrites
  modify,  ///< reads and overwrites, for instance adds
};

/// A tensor with so many numbers for each token.
struct TokenTensor {
  std::string name;       ///< unique in its list, for instance "h.3.ln_1"
  std::int64_t features;  ///< elements a token
  /// The block that can compute the tensor again from the block's input. Nothing for tensors outside of
  /// blocks, and for the inputs of blocks.
  std::optional<std::size_t> block = std::nullopt;
};

/// A tensor of a list, and what an operator does with it.
struct TensorUse {
  std::size_t tensor;  ///< index into ForwardPass::activations or ForwardPass::gradients
  Use use;
};

/// One operator of the forward pass.
struct ForwardOperation {
  std::size_t operation;  ///< index of its counterpart in BackwardPass::operations
  /// The block whose tensors it computes; nothing for an operator that does not run again where the block is
  /// computed again. A block's last map is such an operator: it writes the input of the next block.
  std::optional<std::size_t> block = std::nullopt;
  std::vector<TensorUse> activations = {};   ///< what the forward operator uses
  std::vector<std::size_t> saved = {};       ///< activations that the backward counterpart reads
  std::vector<TensorUse> gradients = {};     ///< gradients of activations that the counterpart uses
  std::vector<std::size_t> parameters = {};  ///< indices into BackwardPass::gradients; what it reads
  std::vector<std::size_t> weights = {};     ///< the parameters that the counterpart reads
};

/// The operators of a forward pass and the tensors that they use. The tokens themselves are not listed.
struct ForwardPass {
  std::vector<ForwardOperation> operations;  ///< in the order in which they run
  std::vector<TokenTensor> activations;
  std::vector<TokenTensor> gradients;  ///< of activations; every block uses the same ones
};

/// Returns the forward pass of a model. Tensors are those of miniapp/compute for GPT-2. A map that ends a
/// branch (c_proj) adds its result to the residual stream. A norm keeps mean and 1/deviation of each token,
/// an RMS norm one number. The attention keeps the logarithm of the sum for each head, not the
/// probabilities. Throws as check() does.
ForwardPass forward_pass(Shape const& shape);

}  // namespace ddproxy::model
