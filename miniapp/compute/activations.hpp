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

/// What one block's forward pass keeps for its backward pass. N tokens, C = d_model, F = d_ff.
struct BlockActivations {
  float* input;                    ///< [N, C] the residual stream
  kernels::RowStatistics ln_1_of;  ///< [N] each
  float* ln_1;                     ///< [N, C]
  float* qkv;                      ///< [N, 3C]
  float* attention_log_sum;        ///< [B, H, T]
  float* attention;                ///< [N, C]
  float* middle;                   ///< [N, C] the residual stream after attention
  kernels::RowStatistics ln_2_of;  ///< [N] each
  float* ln_2;                     ///< [N, C]
  float* fc;                       ///< [N, F] before GELU
  float* gelu;                     ///< [N, F]
};

/// All activations of one step; each layer has its own.
struct Activations {
  /// `memory` holds activation_buffers() and outlives this.
  Activations(BumpAllocator const& memory, model::Shape const& shape);

  std::vector<BlockActivations> blocks;
  float* last;                     ///< [N, C] the residual stream after the last block
  kernels::RowStatistics ln_f_of;  ///< [N] each
  float* ln_f;                     ///< [N, C]
  float* logits;                   ///< [N, V]
  float* log_sum;                  ///< [N]
  float* loss;                     ///< [N]

  float* output_of(std::size_t block) const {
    return block + 1 < blocks.size() ? blocks[block + 1].input : last;
  }
};

/// Gradients of activations, used again by each layer, and scratch memory of the kernels.
struct WorkBuffers {
  /// `memory` holds work_buffers() and outlives this.
  explicit WorkBuffers(BumpAllocator const& memory);

  float* residual;  ///< [N, C] gradient of the residual stream
  float* branch;    ///< [N, C] of a branch off it
  float* qkv;       ///< [N, 3C]
  float* wide;      ///< [N, F]
  float* logits;    ///< [N, V]
  float* scratch;
};

/// The dimensions as the kernels take them.
kernels::AttentionSize attention_size(model::Shape const& shape, model::Tokens tokens);

}  // namespace ddproxy
