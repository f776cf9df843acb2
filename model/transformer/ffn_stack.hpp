// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "model/transformer/forward_pass.hpp"
#include "model/transformer/gpt2.hpp"

namespace ddproxy::model {

/// A stack of feed-forward blocks, and nothing else. A block has two matrices: one of d_model x d_ff and one
/// of d_ff x d_model. The book "How to Scale Your Model" (Austin et al., 2025, chapter 5) uses such a stack
/// as a simplified transformer.
struct FfnStack {
  std::int64_t blocks = 0;
  std::int64_t d_model = 0;
  std::int64_t d_ff = 0;
};

/// The preset `xxl-ffn` of `ddproxy account`: the dimensions of Llama 3 405B (Grattafiori et al., 2024, table
/// 3), as an exercise of Stanford's course CS336 gives them.
inline constexpr FfnStack xxl_ffn{126, 16384, 53248};

/// Returns the backward pass of a stack: the linear layers c_proj and c_fc of each block, last block first.
BackwardPass backward_pass(FfnStack const& stack);

/// Returns the forward pass of a stack. Each matrix keeps its input, so a block keeps d_model + d_ff numbers
/// for each token. There is no operator between the matrices. The result of the last block is not kept.
ForwardPass forward_pass(FfnStack const& stack);

}  // namespace ddproxy::model
