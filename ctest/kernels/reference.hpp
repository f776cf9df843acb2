// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

// Every operation as plain loops in double, in the notation of the kernels' headers. Nothing here is shared
// with them.
namespace ddproxy::reference {

using Array = std::vector<double>;
using Tokens = std::vector<int>;
using Size = std::size_t;

struct LinearGradients {
  Array x, weight, bias;
};

/// y[n, o] = sum of x[n, i] w[i, o], + bias[o] unless it is empty
Array linear(Size rows, Size in, Size out, Array const& x, Array const& weight, Array const& bias);
LinearGradients linear_backward(Size rows, Size in, Size out, Array const& x, Array const& weight,
                                Array const& dy);

/// logits[n, v] = sum of x[n, c] table[v, c]
Array head(Size rows, Size in, Size out, Array const& x, Array const& table);
LinearGradients head_backward(Size rows, Size in, Size out, Array const& x, Array const& table,
                              Array const& dy);

Array layernorm(Size rows, Size columns, Array const& x, Array const& weight, Array const& bias);
LinearGradients layernorm_backward(Size rows, Size columns, Array const& x, Array const& weight,
                                   Array const& dy);

Array gelu(Array const& x);
Array gelu_backward(Array const& x, Array const& dy);

struct AttentionSize {
  Size batch, sequence, heads, head_size;
};

Array attention(AttentionSize size, Array const& qkv);
Array attention_backward(AttentionSize size, Array const& qkv, Array const& dout);

/// The mean loss over the rows.
double cross_entropy(Size rows, Size vocabulary, Array const& logits, Tokens const& targets);
Array cross_entropy_backward(Size rows, Size vocabulary, Array const& logits, Tokens const& targets);

Array embedding(Size sequence, Size columns, Tokens const& tokens, Array const& table,
                Array const& positions);
void add_token_gradient(Size columns, Tokens const& tokens, Array const& dx, Array& dtable);
Array position_gradient(Size sequence, Size columns, Size context, Array const& dx);

}  // namespace ddproxy::reference
