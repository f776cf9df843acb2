// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/rmsnorm.hpp"

#include "kernels/base/teams.hpp"
#include "kernels/norm/norm_forward.hpp"
#include "kernels/norm/row_sum.hpp"
#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels {
namespace devices {
namespace {

struct Forward {
  Index columns;
  float const* x;
  float const* weight;
  float* y;
  float* inverse_rms;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = team.league_rank();
    float const* const in = x + row * columns;
    float squares = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, columns), [=](Index c, float& part) { part += in[c] * in[c]; },
        squares);
    const float inverse = 1 / Kokkos::sqrt(squares / static_cast<float>(columns) + rmsnorm_epsilon);
    float* const kept = inverse_rms + row;
    Kokkos::single(Kokkos::PerTeam(team), [=]() { *kept = inverse; });
    float* const out = y + row * columns;
    float const* const w = weight;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                         [=](Index c) { out[c] = in[c] * inverse * w[c]; });
  }
};

}  // namespace

void rmsnorm_forward(Space const& exec, NormForward const& in, float* y, float* inverse_rms) {
  const Forward forward{in.columns, in.x, in.weight, y, inverse_rms};
  Kokkos::parallel_for("rmsnorm_forward", teams_of_rows(exec, in.rows, in.columns), forward);
}

}  // namespace devices

void rmsnorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                     float* y, float* inverse_rms) {
  if constexpr (on_device)
    devices::rmsnorm_forward(exec, {rows, columns, x, weight}, y, inverse_rms);
  else
    hosts::rmsnorm_forward(exec, {rows, columns, x, weight}, y, inverse_rms);
}

void rmsnorm_backward(Space const& exec, Index rows, Index columns, float const* x, float const* inverse_rms,
                      float const* weight, float const* dy, RmsnormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const RowParts size{rows, columns, parts};
  if constexpr (on_device)
    devices::rmsnorm_backward(exec, size, {x, weight, dy}, inverse_rms, out.x, scratch);
  else
    hosts::rmsnorm_backward(exec, size, {x, weight, dy}, inverse_rms, out.x, scratch);
  add_parts(exec, parts, columns, scratch, out.weight, out.of_weight);
}

}  // namespace ddproxy::kernels
