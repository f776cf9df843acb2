// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/attention/qkv.hpp"

namespace ddproxy::kernels {

// Rotary position embedding (Su et al., RoFormer, arXiv:2104.09864, section 3.2.2). Features 2 i and 2 i + 1
// of a head (i from 0) are a pair. At position t (from 0) pair i is rotated by the angle t theta^(-2 i / D):
//   x'[2 i]     = x[2 i] cos - x[2 i + 1] sin
//   x'[2 i + 1] = x[2 i] sin + x[2 i + 1] cos
// theta is 10000 in the paper and 500000 in Llama 3. Interleaved pairs are the convention of the paper, of
// Meta's Llama and of CS336. Hugging Face's Llama pairs feature i with feature i + D/2 ("rotate half") and
// permutes the rows of the weights of q and k to match, so that both conventions compute the same model. Both
// cost the same: memory limits both, and both read and write each feature once.
//
// D = head_size must be even; the caller checks that.

/// Assigns the cosines and sines of all rotations: table [positions, D] holds, for each position, the cosines
/// of the D/2 pairs and then their sines. Computes them in double and rounds each once.
void rope_table(Space const& exec, Index positions, Index head_size, double theta, float* table);

/// Rotates the queries and keys of `qkv` in place; does not use qkv.v. Token t of each sequence has position
/// t. Reads table [at least T, D] of rope_table(), with T = sequence length.
void rope_forward(Space const& exec, AttentionSize size, float const* table, Qkv qkv);

/// Replaces the gradients of the rotated queries and keys by those of the queries and keys before the
/// rotation: rotates them back, in place. Does not use gradients.v. Reads table [at least T, D].
void rope_backward(Space const& exec, AttentionSize size, float const* table, Qkv gradients);

}  // namespace ddproxy::kernels
