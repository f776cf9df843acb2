// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Dimensions of the embedding of B sequences of length T.
struct EmbeddingSize {
  Index batch;
  Index sequence;
  Index columns;
};

/// x[b, t] = token_table[tokens[b, t]] + position_table[t]; tokens [B, T], token_table [V, C],
/// position_table [context, C], x [B, T, C] assigned.
void embedding_forward(Space const& exec, EmbeddingSize size, int const* tokens, float const* token_table,
                       float const* position_table, float* x);

/// dposition[t] = sum over b of dx[b, t], 0 from T on; dx [B, T, C], dposition [context, C] assigned.
void position_backward(Space const& exec, EmbeddingSize size, Index context, float const* dx,
                       float* dposition);

/// Places of the tokens, grouped by token, so that each row of the table is summed by one team: no atomics,
/// and the same result each time.
struct TokenGroups {
  TokenIds place;  ///< [N] places in the batch, those of equal tokens side by side
  TokenIds first;  ///< [groups + 1] where in `place` each group starts
};

/// Copies host tokens to memory of the space.
TokenIds copy_tokens(std::string const& label, std::vector<int> const& tokens);

TokenGroups group_tokens(std::vector<int> const& tokens);

/// dtoken[tokens[n]] += dx[n] for all n; tokens [N], dx [N, C], dtoken [V, C] accumulated.
void token_backward(Space const& exec, Index columns, TokenGroups const& groups, int const* tokens,
                    float const* dx, float* dtoken);

}  // namespace ddproxy::kernels
