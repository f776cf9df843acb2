// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/rmsnorm.hpp"

#include <string>

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

/// The kernel of the backward pass. Each team works on a run of rows. It adds to dx and to its own partial
/// sum of dweight.
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
    // x^ mean(d x^) = x (sum of d x) / (rms^2 columns)
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

}  // namespace

void rmsnorm_forward(Space const& exec, Index rows, Index columns, float const* x, float const* weight,
                     float* y, float* inverse_rms) {
  const Forward forward{columns, x, weight, y, inverse_rms};
  Kokkos::parallel_for("rmsnorm_forward", teams_of_rows(exec, rows, columns), forward);
}

void rmsnorm_backward(Space const& exec, Index rows, Index columns, float const* x, float const* inverse_rms,
                      float const* weight, float const* dy, RmsnormGradients out, float* scratch) {
  const Index parts = row_parts(exec);
  const Backward backward{rows,  columns, (rows + parts - 1) / parts, x, inverse_rms, weight, dy,
                          out.x, scratch};
  static const std::string label = "rmsnorm_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, parts, columns), backward);
  add_parts(exec, parts, columns, scratch, out.weight, out.of_weight);
}

}  // namespace ddproxy::kernels
