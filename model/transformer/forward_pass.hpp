// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transformer/gpt2.hpp"

// The forward pass: which activations each operator reads and writes, and which of them are kept for its
// backward counterpart. Every forward operator has exactly one counterpart in the backward pass. The
// counterparts run in reverse order. An operator and its counterpart have the same number, the index into
// BackwardPass::operations.

namespace ddproxy::model {

/// What an operator does with a tensor.
enum class Use {
  read,
  assign,  ///< overwrites
  modify,  ///< reads and overwrites, for instance adds
};

/// A tensor with `features` numbers for each token.
struct TokenTensor {
  std::string name;       ///< unique in its list, for instance "h.3.ln_1"
  std::int64_t features;  ///< elements for each token
  /// The transformer block that can compute the tensor again from the block's input. std::nullopt for tensors
  /// outside of blocks, and for the inputs of blocks.
  std::optional<std::size_t> block = std::nullopt;
  /// true: the tensor stays in fp32 if autocast keeps other activations in bf16. Such tensors are the
  /// residual stream and its gradient, the statistics of norms and of the attention, the logits and their
  /// gradient, the logarithm of the sum of exp(logit), and the loss.
  bool stays_fp32 = false;
};

/// A tensor of a list, and what an operator does with it.
struct TensorUse {
  std::size_t tensor;  ///< index into ForwardPass::activations or ForwardPass::gradients
  Use use;
};

/// One operator of the forward pass.
struct ForwardOperation {
  std::size_t operation;  ///< index of its counterpart in BackwardPass::operations
  /// The block whose recomputation runs this operator again, if the step does not keep all activations
  /// (Checkpoint::layer, micro_batch.hpp). std::nullopt if no recomputation runs this operator: it is outside
  /// of blocks, or it is the last linear layer of a block, whose result is the input of the next block and is
  /// kept.
  std::optional<std::size_t> block = std::nullopt;
  std::vector<TensorUse> activations = {};   ///< activations that the forward operator uses
  std::vector<std::size_t> saved = {};       ///< activations that the backward counterpart reads
  std::vector<TensorUse> gradients = {};     ///< gradients of activations that the counterpart uses
  std::vector<std::size_t> parameters = {};  ///< parameters that the forward operator reads, as indices into
                                             ///< BackwardPass::gradients
  std::vector<std::size_t> weights =
      {};  ///< parameters that the counterpart reads, as indices into BackwardPass::gradients
};

/// The operators of a forward pass and the tensors that they use. The tokens themselves are not listed.
struct ForwardPass {
  std::vector<ForwardOperation> operations;  ///< in the order in which they run
  std::vector<TokenTensor> activations;
  std::vector<TokenTensor> gradients;  ///< gradients of activations; all blocks share the same tensors
};

/// Returns the forward pass of a model. The tensors are those that miniapp/compute allocates. The linear
/// layer that ends a branch (c_proj) adds its result to the residual stream. For each token a layer norm
/// keeps the mean and 1 / standard deviation, and an RMS norm keeps 1 / rms. For each token and head the
/// attention keeps the logarithm of the sum of exp(score), not the probabilities. Throws what check()
/// (shape.hpp) throws.
ForwardPass forward_pass(Shape const& shape);

}  // namespace ddproxy::model
