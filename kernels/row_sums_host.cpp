// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/row_sums.hpp"

#include <string>

#include "kernels/teams.hpp"

namespace ddproxy::kernels::hosts {
namespace {

/// The kernel of layernorm_backward(). Each team works on a run of rows. It adds to dx and to its own
/// partial sums of dweight and dbias.
struct LayernormBackward {
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

/// The kernel of rmsnorm_backward(). Each team works on a run of rows. It adds to dx and to its own
/// partial sum of dweight.
struct RmsnormBackward {
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

// Number of rows that are added at once. The partial sum is loaded and stored once for that many rows.
constexpr int rows_at_once = 8;

struct PartialSum {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  float* partial;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index first = team.league_rank() * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    float* const sum = partial + team.league_rank() * columns;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [&](Index c) { sum[c] = 0; });
    // no barrier is needed: a thread works on the same columns in every loop
    Index row = first;
    for (; row + rows_at_once <= last; row += rows_at_once) add_rows(team, x + row * columns, sum);
    for (; row < last; ++row) add_row(team, x + row * columns, sum);
  }

  KOKKOS_FUNCTION void add_rows(Team const& team, float const* block, float* sum) const {
    const Index width = columns;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width), [=](Index c) {
      float total = 0;
      for (int r = 0; r < rows_at_once; ++r) total += block[r * width + c];
      sum[c] += total;
    });
  }

  KOKKOS_FUNCTION void add_row(Team const& team, float const* row, float* sum) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns), [=](Index c) { sum[c] += row[c]; });
  }
};

template <SumMode mode>
KOKKOS_INLINE_FUNCTION void store(float total, float* out) {
  if constexpr (mode == SumMode::add)
    *out += total;
  else
    *out = total;
}

/// Sums the partial sums of each column. A work item is one column, and the compiler vectorizes
/// over columns. The mode is known when this is compiled, so that no loop has a branch.
template <SumMode mode>
struct SumOfParts {
  Index parts;
  Index columns;
  float const* partial;
  float* sum;

  KOKKOS_FUNCTION void operator()(Index c) const {
    float total = 0;
    for (Index p = 0; p < parts; ++p) total += partial[p * columns + c];
    store<mode>(total, sum + c);
  }
};

template <SumMode mode>
void add_parts_as(Space const& exec, Index parts, Index columns, float const* partial, float* sum) {
  Kokkos::parallel_for("add_parts", Range(exec, 0, columns), SumOfParts<mode>{parts, columns, partial, sum});
}

}  // namespace

void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial) {
  const LayernormBackward backward{
      size.rows, size.columns, size.rows_of_part(), in.x, statistics, in.weight, in.dy, dx, partial};
  static const std::string label = "layernorm_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, size.parts, size.columns), backward);
}

void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial) {
  const RmsnormBackward backward{
      size.rows, size.columns, size.rows_of_part(), in.x, inverse_rms, in.weight, in.dy, dx, partial};
  static const std::string label = "rmsnorm_backward";
  Kokkos::parallel_for(label, teams_of_rows(exec, size.parts, size.columns), backward);
}

void row_sum(Space const& exec, RowParts size, float const* x, float* partial) {
  const PartialSum sum{size.rows, size.columns, size.rows_of_part(), x, partial};
  Kokkos::parallel_for("row_sum", teams_of_rows(exec, size.parts, size.columns), sum);
}

void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode) {
  if (mode == SumMode::add)
    add_parts_as<SumMode::add>(exec, parts, columns, partial, sum);
  else
    add_parts_as<SumMode::assign>(exec, parts, columns, partial, sum);
}

}  // namespace ddproxy::kernels::hosts
