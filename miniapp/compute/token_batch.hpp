// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/layer_cost.hpp"
#include "model/transformer/shape.hpp"

namespace ddproxy {

/// The tokens of one micro-batch, on the host.
struct TokenBatch {
  std::vector<int> inputs;   ///< [B, T]
  std::vector<int> targets;  ///< [B, T] the token that follows each input
};

/// Draws uniform random tokens for `batches` micro-batches of `tokens` each. Each seed gives different
/// tokens. Micro-batch m has the sequences m B to (m + 1) B - 1 of what one batch of `batches` B sequences
/// would have. So a step of k micro-batches and a step of one batch k times as large use the same tokens.
std::vector<TokenBatch> draw_tokens(model::Shape const& shape, model::Tokens tokens, int batches,
                                    std::uint32_t seed);

}  // namespace ddproxy
