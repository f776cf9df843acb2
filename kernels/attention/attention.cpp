// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/attention.hpp"

#include "kernels/gemm/gemm.hpp"

namespace ddproxy::kernels {

namespace {

#if defined(KOKKOS_ENABLE_CUDA)
bool fuses(AttentionSize size) {
  constexpr int first_with_bf16 = 8;
  return matrix_precision() == MatrixPrecision::bf16 && fused::supports(size) &&
         Space().cuda_device_prop().major >= first_with_bf16;
}
namespace chosen = fused;
#else
// Without CUDA nothing is fused. The calls of `chosen::` below must still compile, although they are never
// executed.
bool fuses(AttentionSize) {
  return false;
}
namespace chosen = batched;
#endif

}  // namespace

Index attention_scratch(Index concurrency, AttentionSize size) {
  if constexpr (on_device)
    return device_attention_scratch(size);
  else
    return heads::attention_scratch(concurrency, size);
}

void attention_forward(Space const& exec, AttentionSize size, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch) {
  if (fuses(size))
    chosen::attention_forward(exec, size, qkv, out, log_sum, scratch);
  else if constexpr (on_device)
    batched::attention_forward(exec, size, qkv, out, log_sum, scratch);
  else
    heads::attention_forward(exec, size, qkv, out, log_sum, scratch);
}

void attention_backward(Space const& exec, AttentionSize size, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch) {
  if (fuses(size))
    chosen::attention_backward(exec, size, kept, dout, dqkv, scratch);
  else if constexpr (on_device)
    batched::attention_backward(exec, size, kept, dout, dqkv, scratch);
  else
    heads::attention_backward(exec, size, kept, dout, dqkv, scratch);
}

}  // namespace ddproxy::kernels
