// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/compute/token_batch.hpp"

#include <random>

namespace ddproxy {
namespace {

/// Draws a sequence of `length` + 1 random tokens, and appends its `length` inputs and `length` targets.
void append_sequence(TokenBatch& batch, std::int64_t length, std::uint64_t vocabulary, std::mt19937& random) {
  // std::uniform_int_distribution gives different numbers in different standard libraries, so it is not used
  const auto draw = [&] { return static_cast<int>(random() % vocabulary); };
  int token = draw();
  for (std::int64_t t = 0; t < length; ++t) {
    batch.inputs.push_back(token);
    token = draw();
    batch.targets.push_back(token);
  }
}

}  // namespace

std::vector<TokenBatch> draw_tokens(model::Shape const& shape, model::Tokens tokens, int batches,
                                    std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TokenBatch> drawn(static_cast<std::size_t>(batches));
  for (TokenBatch& batch : drawn)
    for (std::int64_t b = 0; b < tokens.batch; ++b)
      append_sequence(batch, tokens.sequence, static_cast<std::uint64_t>(shape.vocabulary), random);
  return drawn;
}

}  // namespace ddproxy
