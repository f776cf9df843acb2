// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/fused_backward_keys.hpp"
#include "kernels/attention/fused_backward_queries.hpp"
#include "kernels/attention/fused_copies.hpp"
#include "kernels/attention/fused_forward.hpp"
#include "kernels/attention/sequence_groups.hpp"
#include "kernels/base/power_of_two.hpp"

// Fused attention: rounds the inputs of a group of sequences to bf16 once, then launches the kernels of
// fused_forward.hpp, fused_backward_keys.hpp and fused_backward_queries.hpp. A group has as many sequences as
// a batch of products in attention_batched.cpp. With sequences of at least 256 tokens the copies need no more
// memory than the scores of such a batch and the gradients of these scores: at most 1032 bytes for each token
// of a query head, where the scores and their gradients need 2048.
namespace ddproxy::kernels::fused {
namespace {

/// Number of rows of a tile that a team copies to shared memory in one iteration of its loop (struct Stage).
/// It is smaller for larger heads, so that two stages fit into 48 KiB of shared memory: one in use and one
/// being copied.
template <int D>
inline constexpr int rows_of_step = D == 64 ? 64 : 32;

/// Launches `teams` teams. A multiprocessor shall run `at_once` of them at the same time. With more teams at
/// once, each team would have too few registers. Times of GPT-2-large (four sequences of 1024 tokens) on an
/// H200 with 2, 3 and 4 teams at once: 111, 100 and 109 us for the gradients of keys and values, and 69, 69
/// and 67 us for the gradients of queries.
template <int at_once, class Kernel>
void launch(Space const& exec, char const* name, Index teams, Kernel const& kernel) {
  using Stages = typename Kernel::Stages;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<warps * lanes, at_once>>;
  Kokkos::parallel_for(name,
                       Policy(exec, static_cast<int>(teams), warps, lanes)
                           .set_scratch_size(0, Kokkos::PerTeam(2 * sizeof(Stages) + alignof(Stages))),
                       kernel);
}

float scale_of(AttentionSize const& size) {
  return 1 / std::sqrt(static_cast<float>(size.head_size));
}

template <int D>
void forward(Space const& exec, AttentionSize const& size, Copies const& in, float* out, float* log_sum) {
  const float scale = scale_of(size);
  launch<D == 64 ? 4 : 2>(
      exec, "attention forward", tiles_of(size) * size.batch * size.heads,
      Forward<D, rows_of_step<D>>{size, in.q, in.k, in.v, scale, scale * log2_of_e, out, log_sum});
}

template <int D>
void backward(Space const& exec, AttentionSize const& size, Copies const& in, Qkv const& gradients) {
  const float scale = scale_of(size);
  const Pass pass{size, in, gradients, scale, scale * log2_of_e};
  launch<D == 64 ? 3 : 2>(exec, "attention backward: keys and values",
                          tiles_of(size) * size.batch * size.kv_heads,
                          GradientsOfKeys<D, rows_of_step<D>>{pass});
  launch<D == 64 ? 4 : 2>(exec, "attention backward: queries", tiles_of(size) * size.batch * size.heads,
                          GradientsOfQueries<D, rows_of_step<D>>{pass});
}

/// Returns queries, keys and values from token `token` on.
template <class Float>
BasicQkv<Float> from_token(BasicQkv<Float> m, Index token) {
  m.q += token * m.q_stride;
  m.k += token * m.kv_stride;
  m.v += token * m.kv_stride;
  return m;
}

}  // namespace

void attention_forward(Space const& exec, AttentionSize all, ConstQkv const& qkv, float* out, float* log_sum,
                       float* scratch) {
  for_each_group(all, [&](Index sequence, AttentionSize const& size) {
    const Copies copies(size, scratch);
    const Index token = sequence * size.sequence;
    copy_inputs(exec, size, from_token(qkv, token), copies);
    float* const own = out + token * size.columns();
    float* const sums = log_sum + token * size.heads;
    size.head_size == 64 ? forward<64>(exec, size, copies, own, sums)
                         : forward<128>(exec, size, copies, own, sums);
  });
}

void attention_backward(Space const& exec, AttentionSize all, AttentionKept const& kept, float const* dout,
                        Qkv const& dqkv, float* scratch) {
  for_each_group(all, [&](Index sequence, AttentionSize const& size) {
    const Copies copies(size, scratch);
    const Index token = sequence * size.sequence, own = token * size.columns();
    copy_inputs(exec, size, from_token(kept.qkv, token), copies);
    copy_gradients(exec, size, kept.out + own, kept.log_sum + token * size.heads, dout + own, copies);
    const Qkv gradients = from_token(dqkv, token);
    size.head_size == 64 ? backward<64>(exec, size, copies, gradients)
                         : backward<128>(exec, size, copies, gradients);
  });
}

}  // namespace ddproxy::kernels::fused
