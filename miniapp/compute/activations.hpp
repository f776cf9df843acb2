// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/attention.hpp"
#include "kernels/layernorm.hpp"
#include "miniapp/compute/bump_allocator.hpp"
#include "model/cost/layer_cost.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy {

/// The activations that the forward pass of one transformer block keeps for its backward pass. In the shapes
/// below, N is the number of tokens, C = d_model, F = d_ff, B sequences have T tokens each, and H is the
/// number of heads. The pointers are not owned; they point into the memory that Activations was made with.
struct BlockActivations {
  float* input;                    ///< [N, C] the residual stream
  kernels::RowStatistics ln_1_of;  ///< [N] each: mean and reciprocal standard deviation of the rows of `input`
  float* ln_1;                     ///< [N, C] output of the first layer norm
  float* qkv;                      ///< [N, 3C] queries, keys and values
  float* attention_log_sum;        ///< [B, H, T] logarithm of the softmax's denominator
  float* attention;                ///< [N, C] output of the attention
  float* middle;                   ///< [N, C] the residual stream after attention
  kernels::RowStatistics ln_2_of;  ///< [N] each: mean and reciprocal standard deviation of the rows of `middle`
  float* ln_2;                     ///< [N, C] output of the second layer norm
  float* fc;                       ///< [N, F] before GELU
  float* gelu;                     ///< [N, F] after GELU
};

/// All activations of one forward pass. Each layer has buffers of its own. V is the size of the vocabulary.
struct Activations {
  /// Takes the pointers from `memory`, which was made with activation_buffers() (kernel_memory.hpp). `memory`
  /// owns the buffers and must outlive this object.
  Activations(BumpAllocator const& memory, model::Shape const& shape);

  std::vector<BlockActivations> blocks;
  float* last;                     ///< [N, C] the residual stream after the last block
  kernels::RowStatistics ln_f_of;  ///< [N] each: mean and reciprocal standard deviation of the rows of `last`
  float* ln_f;                     ///< [N, C] output of the last layer norm
  float* logits;                   ///< [N, V]
  float* log_sum;                  ///< [N] logarithm of the softmax's denominator
  float* loss;                     ///< [N]

  /// Returns the array [N, C] to which a block writes its output: the input of the next block, or `last` for
  /// the last block.
  float* output_of(std::size_t block) const {
    return block + 1 < blocks.size() ? blocks[block + 1].input : last;
  }
};

/// Gradients of activations, and scratch memory of the kernels. All layers use the same buffers, one layer
/// after another.
struct WorkBuffers {
  /// Takes the pointers from `memory`, which was made with work_buffers() (kernel_memory.hpp). `memory` owns
  /// the buffers and must outlive this object.
  explicit WorkBuffers(BumpAllocator const& memory);

  float* residual;  ///< [N, C] gradient of the residual stream
  float* branch;    ///< [N, C] gradient of a branch of the residual stream
  float* qkv;       ///< [N, 3C] gradient of queries, keys and values
  float* wide;      ///< [N, F] gradient of gelu, then of fc
  float* logits;    ///< [N, V] gradient of the logits
  float* scratch;   ///< scratch memory of one kernel at a time
};

/// Returns the dimensions of the attention in the form that the kernels take.
kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens);

}  // namespace ddproxy
