// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/layernorm.hpp"

#include <string>

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
  float const* bias;
  float* y;
  RowStatistics statistics;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = team.league_rank();
    float const* const in = x + row * columns;
    const float mean = row_mean(team, in);
    const float rstd = 1 / Kokkos::sqrt(row_variance(team, in, mean) + layernorm_epsilon);
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      statistics.mean[row] = mean;
      statistics.rstd[row] = rstd;
    });
    float* const out = y + row * columns;
    float const* const w = weight;
    float const* const b = bias;
    if (b == nullptr)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                           [=](Index c) { out[c] = (in[c] - mean) * rstd * w[c]; });
    else
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                           [=](Index c) { out[c] = (in[c] - mean) * rstd * w[c] + b[c]; });
  }

  KOKKOS_FUNCTION float row_mean(Team const& team, float const* in) const {
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, columns), [=](Index c, float& part) { part += in[c]; }, sum);
    return sum / static_cast<float>(columns);
  }

  KOKKOS_FUNCTION float row_variance(Team const& team, float const* in, float mean) const {
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, columns),
        [=](Index c, float& part) { part += (in[c] - mean) * (in[c] - mean); }, sum);
    return sum / static_cast<float>(columns);
  }
};

}  // namespace

void layernorm_forward(Space const& exec, NormForward const& in, float* y, RowStatistics statistics) {
  const Forward forward{in.columns, in.x, in.weight, in.bias, y, statistics};
  static const std::string label = "layernorm_forward";
  Kokkos::parallel_for(label, teams_of_rows(exec, in.rows, in.columns), forward);
}

}  // namespace devices

void layernorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                       float const* bias, float* y, RowStatistics statistics) {
  if constexpr (on_device)
    devices::layernorm_forward(exec, {rows, columns, x, weight, bias}, y, statistics);
  else
    hosts::layernorm_forward(exec, {rows, columns, x, weight, bias}, y, statistics);
}

void layernorm_backward(Space const& exec, Index rows, Index columns, float const* x,
                        RowStatistics statistics, float const* weight, float const* dy,
                        LayernormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const RowParts size{rows, columns, parts};
  if constexpr (on_device)
    devices::layernorm_backward(exec, size, {x, weight, dy}, statistics, out.x, scratch);
  else
    hosts::layernorm_backward(exec, size, {x, weight, dy}, statistics, out.x, scratch);
  add_parts(exec, parts, columns, scratch, out.weight, out.parameters);
  if (out.bias == nullptr) return;
  add_parts(exec, parts, columns, scratch + parts * columns, out.bias, out.parameters);
}

}  // namespace ddproxy::kernels
