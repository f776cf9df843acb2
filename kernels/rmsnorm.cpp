// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/rmsnorm.hpp"

#include "kernels/row_sum.hpp"
#include "kernels/teams.hpp"

namespace ddproxy::kernels {
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

/// The kernel of the backward pass on a host. Each team works on a run of rows. It adds to dx and to its own
/// partial sum of dweight.
struct Backward {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  float const* inverse_rms;
  float const* weight;
  float const* dy;
  float* dx;
  float* partial;  ///< [parts, columns]

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    float* const dweight = partial + team.league_rank() * columns;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { dweight[c] = 0; });
    const Index first = team.league_rank() * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    // no barrier between rows is needed: a thread works on the same columns in every row
    for (Index row = first; row < last; ++row) add_row(team, row, dweight);
  }

  KOKKOS_FUNCTION void add_row(Team const& team, Index row, float* dweight) const {
    float const* const in = x + row * columns;
    float const* const d = dy + row * columns;
    float const* const w = weight;
    const float inverse = inverse_rms[row];
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, columns), [=](Index c, float& part) { part += d[c] * w[c] * in[c]; },
        product);
    // with the names of rmsnorm.hpp: xhat avg(d xhat) = x (sum of d x) / (rms^2 columns)
    const float factor = product * inverse * inverse / static_cast<float>(columns);
    float* const out = dx + row * columns;
    // Two loops, because the compiler does not vectorize one loop that uses all five arrays: it cannot prove
    // that they do not overlap.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                         [=](Index c) { dweight[c] += d[c] * in[c] * inverse; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                         [=](Index c) { out[c] += inverse * (d[c] * w[c] - in[c] * factor); });
  }
};

/// The gradient of x on a device. A thread of a team adds to one row of dx. Its lanes share the row.
struct BackwardOfX {
  Index rows;
  Index columns;
  float const* x;
  float const* inverse_rms;
  float const* weight;
  float const* dy;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= rows) return;
    float const* const in = x + row * columns;
    float const* const d = dy + row * columns;
    float const* const w = weight;
    const float inverse = inverse_rms[row];
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, columns), [=](Index c, float& part) { part += d[c] * w[c] * in[c]; },
        product);
    const float factor = product * inverse * inverse / static_cast<float>(columns);
    float* const out = dx + row * columns;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns),
                         [=](Index c) { out[c] += inverse * (d[c] * w[c] - in[c] * factor); });
  }
};

/// The partial sums of dweight on a device. A work item is one column of one part of the rows.
struct BackwardOfWeight {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  float const* inverse_rms;
  float const* dy;
  float* dweight;  ///< [parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % columns, first = item / columns * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    float total = 0;
    for (Index row = first; row < last; ++row)
      total += dy[row * columns + column] * x[row * columns + column] * inverse_rms[row];
    dweight[item] = total;
  }
};

}  // namespace

void rmsnorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                     float* y, float* inverse_rms) {
  const Forward forward{columns, x, weight, y, inverse_rms};
  Kokkos::parallel_for("rmsnorm_forward", teams_of_rows(exec, rows, columns), forward);
}

void rmsnorm_backward(Space const& exec, Index rows, Index columns, float const* x, float const* inverse_rms,
                      float const* weight, float const* dy, RmsnormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const Index rows_a_part = (rows + parts - 1) / parts;
  if constexpr (on_device) {
    Kokkos::parallel_for("rmsnorm_backward of weight", Range(exec, 0, parts * columns),
                         BackwardOfWeight{rows, columns, rows_a_part, x, inverse_rms, dy, scratch});
    Kokkos::parallel_for("rmsnorm_backward of x", threads_of_rows(exec, rows),
                         BackwardOfX{rows, columns, x, inverse_rms, weight, dy, out.x});
  } else {
    Kokkos::parallel_for("rmsnorm_backward", teams_of_rows(exec, parts, columns),
                         Backward{rows, columns, rows_a_part, x, inverse_rms, weight, dy, out.x, scratch});
  }
  add_parts(exec, parts, columns, scratch, out.weight, out.of_weight);
}

}  // namespace ddproxy::kernels
