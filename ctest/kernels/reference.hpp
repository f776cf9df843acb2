// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

// Every operation of the kernels as plain loops in double. The arrays have the layouts that the headers of
// the kernels describe. This code shares nothing with the kernels.
namespace ddproxy::reference {

using Array = std::vector<double>;
using Tokens = std::vector<int>;
using Size = std::size_t;

struct LinearGradients {
  Array x, weight, bias;
};

/// Returns y[n, o] = sum over i of x[n, i] w[i, o], plus bias[o] unless `bias` is empty.
Array linear(Size rows, Size in, Size out, Array const& x, Array const& weight, Array const& bias);
LinearGradients linear_backward(Size rows, Size in, Size out, Array const& x, Array const& weight,
                                Array const& dy);

/// Returns logits[n, v] = sum over c of x[n, c] table[v, c].
Array head(Size rows, Size in, Size out, Array const& x, Array const& table);
LinearGradients head_backward(Size rows, Size in, Size out, Array const& x, Array const& table,
                              Array const& dy);

Array layernorm(Size rows, Size columns, Array const& x, Array const& weight, Array const& bias);
LinearGradients layernorm_backward(Size rows, Size columns, Array const& x, Array const& weight,
                                   Array const& dy);

/// Returns y = x weight / rms. rms^2 of a row is the mean of x^2 over its columns, plus 1e-5.
Array rmsnorm(Size rows, Size columns, Array const& x, Array const& weight);
/// Returns the gradients of rmsnorm(). The gradient of the bias is empty.
LinearGradients rmsnorm_backward(Size rows, Size columns, Array const& x, Array const& weight,
                                 Array const& dy);

/// Returns y = silu(gate) up.
Array swiglu(Array const& gate, Array const& up);
struct SwigluGradients {
  Array gate, up;
};
SwigluGradients swiglu_backward(Array const& gate, Array const& up, Array const& dy);

/// Returns x [N, heads, head_size] with its pairs of neighbouring features rotated. Row n has position n %
/// sequence. `direction` is 1, or -1 for the inverse rotation.
Array rope(Size sequence, Size heads, Size head_size, double theta, Array const& x, double direction);

Array gelu(Array const& x);
Array gelu_backward(Array const& x, Array const& dy);

/// A row of qkv has the queries of all heads side by side, then the keys of kv_heads heads, then their
/// values.
struct AttentionSize {
  Size batch, sequence, heads, head_size;
  Size kv_heads = heads;
};

Array attention(AttentionSize size, Array const& qkv);
Array attention_backward(AttentionSize size, Array const& qkv, Array const& dout);

/// Returns the loss, averaged over the rows.
double cross_entropy(Size rows, Size vocabulary, Array const& logits, Tokens const& targets);
Array cross_entropy_backward(Size rows, Size vocabulary, Array const& logits, Tokens const& targets);

/// Returns x[n] = table[tokens[n]] + positions[n % sequence].
Array embedding(Size sequence, Size columns, Tokens const& tokens, Array const& table,
                Array const& positions);
/// Adds dx[n] to dtable[tokens[n]] for each n.
void add_token_gradient(Size columns, Tokens const& tokens, Array const& dx, Array& dtable);
/// Returns dpositions [context, columns]. It is 0 for the positions from `sequence` on.
Array position_gradient(Size sequence, Size columns, Size context, Array const& dx);

}  // namespace ddproxy::reference
