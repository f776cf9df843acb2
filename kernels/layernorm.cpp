// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/layernorm.hpp"

#include <string>

#include "kernels/row_sum.hpp"
#include "kernels/teams.hpp"

namespace ddproxy::kernels {
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

/// The kernel of the backward pass. Each team works on a run of rows. It adds to dx and to its own partial
/// sums of dweight and dbias.
struct Backward {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  RowStatistics statistics;
  float const* weight;
  float const* dy;
  float* dx;
  float* partial;  ///< [2, parts, columns]: the partial sums of dweight, then those of dbias

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    float* const dweight = partial + team.league_rank() * columns;
    float* const dbias = dweight + team.league_size() * columns;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { dweight[c] = dbias[c] = 0; });
    const Index first = team.league_rank() * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    // no barrier between rows is needed: a thread works on the same columns in every row
    for (Index row = first; row < last; ++row) add_row(team, row, dweight, dbias);
  }

  KOKKOS_FUNCTION void add_row(Team const& team, Index row, float* dweight, float* dbias) const {
    float const* const in = x + row * columns;
    float const* const d = dy + row * columns;
    float const* const w = weight;
    const float mean = statistics.mean[row];
    const float rstd = statistics.rstd[row];
    const float mean_d = average(team, [=](Index c) { return d[c] * w[c]; });
    const float mean_dx = average(team, [=](Index c) { return d[c] * w[c] * (in[c] - mean) * rstd; });
    float* const out = dx + row * columns;
    // Two loops, because the compiler does not vectorize one loop that uses all five arrays: it cannot prove
    // that they do not overlap.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) {
      dweight[c] += d[c] * (in[c] - mean) * rstd;
      dbias[c] += d[c];
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) {
      out[c] += rstd * (d[c] * w[c] - mean_d - (in[c] - mean) * rstd * mean_dx);
    });
  }

  template <class Term>
  KOKKOS_FUNCTION float average(Team const& team, Term const& term) const {
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, columns), [&](Index c, float& part) { part += term(c); }, sum);
    return sum / static_cast<float>(columns);
  }
};

}  // namespace

void layernorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                       float const* bias, float* y, RowStatistics statistics) {
  const Forward forward{columns, x, weight, bias, y, statistics};
  static const std::string label = "layernorm_forward";
  Kokkos::parallel_for(label, teams_of_rows(exec, rows, columns), forward);
}

void layernorm_backward(Space const& exec, Index rows, Index columns, float const* x,
                        RowStatistics statistics, float const* weight, float const* dy,
                        LayernormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const Backward backward{rows,  columns, (rows + parts - 1) / parts, x, statistics, weight, dy,
                          out.x, scratch};
  static const std::string label = "layernorm_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, parts, columns), backward);
  add_parts(exec, parts, columns, scratch, out.weight, out.parameters);
  if (out.bias == nullptr) return;
  add_parts(exec, parts, columns, scratch + parts * columns, out.bias, out.parameters);
}

}  // namespace ddproxy::kernels
