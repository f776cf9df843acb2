// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/types.hpp"

namespace ddproxy::kernels {

/// Of a linear map of `rows` tokens from `in` to `out` features.
struct LinearSize {
  Index rows;
  Index in;
  Index out;
};

/// y = x W + bias, W as in Hugging Face's Conv1D; x [rows, in], weight [in, out], bias [out], y [rows, out]
/// assigned.
void linear_forward(Space const& exec, LinearSize size, float const* x, float const* weight,
                    float const* bias, float* y);

/// What the backward pass of a linear map writes; all assigned.
struct LinearGradients {
  float* bias;    ///< [out]
  float* weight;  ///< [in, out]
  float* x;       ///< [rows, in]
};

/// Elements of scratch memory that linear_backward needs in a space of that concurrency.
Index linear_scratch(Index concurrency, LinearSize size);

/// dbias = sum of dy's rows, dW = x^T dy, dx = dy W^T; dy [rows, out].
void linear_backward(Space const& exec, LinearSize size, float const* x, float const* weight, float const* dy,
                     LinearGradients out, float* scratch);

/// The output head: logits = x table^T; x [rows, in], table [out, in] (a token embedding), logits [rows, out]
/// assigned.
void head_forward(Space const& exec, LinearSize size, float const* x, float const* table, float* logits);

/// dtable = dlogits^T x, dx = dlogits table; dlogits [rows, out], dtable [out, in] and dx [rows, in]
/// assigned.
void head_backward(Space const& exec, LinearSize size, float const* x, float const* table,
                   float const* dlogits, float* dtable, float* dx);

}  // namespace ddproxy::kernels
