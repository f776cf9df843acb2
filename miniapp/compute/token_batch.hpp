// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/operation_work.hpp"
#include "model/transformer/shape.hpp"

namespace ddproxy {

/// The tokens of one micro-batch, on the host.
struct TokenBatch {
  std::vector<int> inputs;   ///< [B, T]
  std::vector<int> targets;  ///< [B, T] the token that follows each input
};

/// Draws uniform random tokens for `batches` micro-batches. Each micro-batch has B = tokens.batch sequences
/// with T = tokens.sequence tokens. Different seeds give different tokens. With the same seed, a step of k
/// micro-batches and a step of one batch that is k times as large use the same sequences, in the same order.
std::vector<TokenBatch> draw_tokens(model::Shape const& shape, model::Tokens tokens, int batches,
                                    std::uint32_t seed);

}  // namespace ddproxy
