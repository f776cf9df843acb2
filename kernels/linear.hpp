// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/base/sum_mode.hpp"
#include "kernels/base/types.hpp"

// Linear layers and the output head. The functions throw std::runtime_error if the vendor's BLAS reports an
// error (gemm() in kernels/gemm/gemm.hpp).
namespace ddproxy::kernels {

/// Computes y = x W + bias. W has the layout of Hugging Face's Conv1D. Reads x [rows, in], weight [in, out]
/// and bias [out]; assigns y [rows, out]. With a null pointer as the bias, as in Llama models, it computes
/// y = x W.
void linear_forward(Space const& exec, LinearSize size, float const* x, float const* weight,
                    float const* bias, float* y);

/// The gradients that linear_backward() writes.
struct LinearGradients {
  float* bias;                           ///< [out], or a null pointer for a layer without a bias
  float* weight;                         ///< [in, out]
  float* x;                              ///< [rows, in]
  SumMode parameters = SumMode::assign;  ///< whether bias and weight are assigned or added to
  SumMode of_x = SumMode::assign;  ///< whether x is assigned or added to; `add` if several linear layers
                                   ///< have the same input
};

/// Computes the gradients of a linear layer:
///   dbias = sum over the rows of dy
///   dW    = x^T dy
///   dx    = dy W^T
/// Reads x [rows, in], weight [in, out] and dy [rows, out]. scratch [linear_scratch()
/// (kernels/sizes/scratch.hpp)] is overwritten. Without a bias the scratch memory is not used and may be a
/// null pointer. `out` says which gradients are assigned and which are added to.
void linear_backward(Space const& exec, LinearSize size, float const* x, float const* weight, float const* dy,
                     LinearGradients out, float* scratch);

/// Computes the output head, logits = x table^T, a linear layer without a bias. Reads x [rows, in] and table
/// [out, in]: the token embedding of a tied model, or the head's own weight. Assigns logits [rows, out].
void head_forward(Space const& exec, LinearSize size, float const* x, float const* table, float* logits);

/// Computes the gradients of the output head, dtable = dlogits^T x and dx = dlogits table. Reads x [rows,
/// in], table [out, in] and dlogits [rows, out]; assigns dx [rows, in]. Assigns dtable [out, in] or adds to
/// it, as `of_table` says.
void head_backward(Space const& exec, LinearSize size, float const* x, float const* table,
                   float const* dlogits, float* dtable, float* dx, SumMode of_table = SumMode::assign);

}  // namespace ddproxy::kernels
