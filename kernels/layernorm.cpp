// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/layernorm.hpp"

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

/// The kernel of the backward pass on a host. Each team works on a run of rows. It adds to dx and to its own
/// partial sums of dweight and dbias.
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

/// The gradient of x on a device. A thread of a team adds to one row of dx. Its lanes share the row.
struct BackwardOfX {
  Index rows;
  Index columns;
  float const* x;
  RowStatistics statistics;
  float const* weight;
  float const* dy;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= rows) return;
    float const* const in = x + row * columns;
    float const* const d = dy + row * columns;
    float const* const w = weight;
    const float mean = statistics.mean[row], rstd = statistics.rstd[row];
    float sum_d = 0, sum_dx = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, columns), [=](Index c, float& part) { part += d[c] * w[c]; }, sum_d);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, columns),
        [=](Index c, float& part) { part += d[c] * w[c] * (in[c] - mean) * rstd; }, sum_dx);
    const float mean_d = sum_d / static_cast<float>(columns), mean_dx = sum_dx / static_cast<float>(columns);
    float* const out = dx + row * columns;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns), [=](Index c) {
      out[c] += rstd * (d[c] * w[c] - mean_d - (in[c] - mean) * rstd * mean_dx);
    });
  }
};

/// The partial sums of dweight and dbias on a device. A work item is one column of one part of the rows.
struct BackwardOfParameters {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  RowStatistics statistics;
  float const* dy;
  float* dweight;  ///< [parts, columns]
  float* dbias;    ///< [parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % columns, first = item / columns * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    float of_weight = 0, of_bias = 0;
    for (Index row = first; row < last; ++row) {
      const float d = dy[row * columns + column];
      of_weight += d * (x[row * columns + column] - statistics.mean[row]) * statistics.rstd[row];
      of_bias += d;
    }
    dweight[item] = of_weight;
    dbias[item] = of_bias;
  }
};

}  // namespace

void layernorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                       float const* bias, float* y, RowStatistics statistics) {
  const Forward forward{columns, x, weight, bias, y, statistics};
  Kokkos::parallel_for("layernorm_forward", teams_of_rows(exec, rows, columns), forward);
}

void layernorm_backward(Space const& exec, Index rows, Index columns, float const* x,
                        RowStatistics statistics, float const* weight, float const* dy,
                        LayernormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const Index rows_a_part = (rows + parts - 1) / parts;
  if constexpr (on_device) {
    Kokkos::parallel_for("layernorm_backward of parameters", Range(exec, 0, parts * columns),
                         BackwardOfParameters{rows, columns, rows_a_part, x, statistics, dy, scratch,
                                              scratch + parts * columns});
    Kokkos::parallel_for("layernorm_backward of x", threads_of_rows(exec, rows),
                         BackwardOfX{rows, columns, x, statistics, weight, dy, out.x});
  } else {
    Kokkos::parallel_for("layernorm_backward", teams_of_rows(exec, parts, columns),
                         Backward{rows, columns, rows_a_part, x, statistics, weight, dy, out.x, scratch});
  }
  add_parts(exec, parts, columns, scratch, out.weight, out.parameters);
  if (out.bias == nullptr) return;
  add_parts(exec, parts, columns, scratch + parts * columns, out.bias, out.parameters);
}

}  // namespace ddproxy::kernels
