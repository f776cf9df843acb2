// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/attention/rope.hpp"

#include <cmath>

#include "kernels/base/teams.hpp"

namespace ddproxy::kernels {
namespace {

KOKKOS_INLINE_FUNCTION void rotate_pair(float* x, float cosine, float sine) {
  const float a = x[0];
  const float b = x[1];
  x[0] = a * cosine - b * sine;
  x[1] = a * sine + b * cosine;
}

/// Rotates the queries and keys of one token. `sign` is 1, or -1 for the inverse rotation.
struct Rotation {
  AttentionSize size;
  float const* table;
  Qkv qkv;
  float sign;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index token = team.league_rank();
    float const* const cosines = table + token % size.sequence * size.head_size;
    rotate(team, size.heads, cosines, qkv.q + token * qkv.q_stride);
    rotate(team, size.kv_heads, cosines, qkv.k + token * qkv.kv_stride);
  }

  KOKKOS_FUNCTION void rotate(Team const& team, Index heads, float const* cosines, float* x) const {
    if constexpr (on_device)
      by_pairs(team, heads, cosines, x);
    else
      by_heads(team, heads, cosines, x);
  }

  /// One thread rotates one pair: neighbouring threads have neighbouring pairs.
  KOKKOS_FUNCTION void by_pairs(Team const& team, Index heads, float const* cosines, float* x) const {
    const Index pairs = size.head_size / 2;
    const float direction = sign;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, heads * pairs), [=](Index i) {
      rotate_pair(x + 2 * i, cosines[i % pairs], direction * cosines[pairs + i % pairs]);
    });
  }

  /// One thread rotates one head. The compiler vectorizes over its pairs.
  KOKKOS_FUNCTION void by_heads(Team const& team, Index heads, float const* cosines, float* x) const {
    const Index pairs = size.head_size / 2;
    float const* const sines = cosines + pairs;
    const float direction = sign;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, heads), [=](Index h) {
      float* const head = x + h * 2 * pairs;
      for (Index i = 0; i < pairs; ++i) rotate_pair(head + 2 * i, cosines[i], direction * sines[i]);
    });
  }
};

void rotate_all(Space const& exec, Rotation const& rotation) {
  AttentionSize const& size = rotation.size;
  Kokkos::parallel_for("rope", teams_of_rows(exec, size.batch * size.sequence, size.columns()), rotation);
}

}  // namespace

void rope_table(Space const& exec, Index positions, Index head_size, double theta, float* table) {
  const Index pairs = head_size / 2;
  const double exponent = -2 * std::log(theta) / static_cast<double>(head_size);
  Kokkos::parallel_for(
      "rope_table", Range(exec, 0, positions * pairs), KOKKOS_LAMBDA(Index i) {
        const Index position = i / pairs;
        const Index pair = i % pairs;
        const double angle =
            static_cast<double>(position) * Kokkos::exp(exponent * static_cast<double>(pair));
        float* const row = table + position * head_size;
        row[pair] = static_cast<float>(Kokkos::cos(angle));
        row[pairs + pair] = static_cast<float>(Kokkos::sin(angle));
      });
}

void rope_forward(Space const& exec, AttentionSize size, float const* table, Qkv qkv) {
  rotate_all(exec, {size, table, qkv, 1});
}

void rope_backward(Space const& exec, AttentionSize size, float const* table, Qkv gradients) {
  rotate_all(exec, {size, table, gradients, -1});
}

}  // namespace ddproxy::kernels
