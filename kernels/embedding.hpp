// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"

namespace ddproxy::kernels {

/// Dimensions of an embedding: B = batch, T = sequence, C = columns. The comments below also use V =
/// vocabulary and N = B T, the number of tokens of the batch.
struct EmbeddingSize {
  Index batch;
  Index sequence;
  Index columns;
};

/// Computes x[n] = token_table[tokens[n]], the embedding of the tokens without their positions. Reads tokens
/// [B, T] and token_table [V, C]; assigns x [B, T, C].
void token_forward(Space const& exec, EmbeddingSize size, int const* tokens, float const* token_table,
                   float* x);

/// Adds the positions: x[b, t] += position_table[t]. Reads position_table [context, C]; accumulates into x
/// [B, T, C].
void position_forward(Space const& exec, EmbeddingSize size, float const* position_table, float* x);

/// Computes dposition[t] = sum over b of dx[b, t] for t < T, and 0 for the other positions. Reads dx [B, T,
/// C]; assigns dposition [context, C] or adds to it, as `mode` says.
void position_backward(Space const& exec, EmbeddingSize size, Index context, float const* dx,
                       float* dposition, SumMode mode = SumMode::assign);

/// The rows of the batch, grouped by token. Row n = b T + t belongs to tokens[b, t]. One team of threads sums
/// all rows that belong to the same token. So token_backward() needs no atomics, and its result is the same
/// each time.
struct TokenGroups {
  TokenIds place;  ///< [N] row numbers; rows of equal tokens lie side by side
  TokenIds first;  ///< [groups + 1] where each group starts in `place`; the last entry is N
};

/// Copies tokens from the host to memory of the execution space and returns the copy. Waits for the copy.
TokenIds copy_tokens(std::string const& label, std::vector<int> const& tokens);

/// Groups the rows of `tokens` [N] by token and copies the result to memory of the execution space.
TokenGroups group_tokens(std::vector<int> const& tokens);

/// Adds dx[n] to dtoken[tokens[n]] for all n. `groups` comes from group_tokens() of the same tokens. Reads
/// tokens [N] and dx [N, C]; accumulates into dtoken [V, C].
void token_backward(Space const& exec, Index columns, TokenGroups const& groups, int const* tokens,
                    float const* dx, float* dtoken);

}  // namespace ddproxy::kernels
