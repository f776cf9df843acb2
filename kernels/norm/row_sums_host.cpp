// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/norm/row_sums.hpp"

#include "kernels/base/teams.hpp"

namespace ddproxy::kernels::hosts {
namespace {

// Number of rows that are added at once. The partial sum is loaded and stored only once for all of these
// rows.
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

/// Sums the partial sums of each column. A work item is one column, and the compiler vectorizes over columns.
/// The mode is a template parameter, so that no loop has a branch.
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
