// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/row_sum.hpp"

#include "kernels/teams.hpp"

namespace ddproxy::kernels {
namespace {

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

/// Sums the partial sums of each column. On a host a work item is one column, and the compiler vectorizes
/// over columns. On a device a team sums one column, because one thread for each column would be too few
/// threads. `mode` is a template parameter, so that no loop has a branch.
template <SumMode mode>
struct SumOfParts {
  Index parts;
  Index columns;
  float const* partial;
  float* sum;

  template <class Item>
  KOKKOS_FUNCTION void operator()(Item const& item) const {
    if constexpr (on_device)
      by_team(item);
    else
      by_thread(item);
  }

  template <class Column>
  KOKKOS_FUNCTION void by_thread(Column c) const {
    float total = 0;
    for (Index p = 0; p < parts; ++p) total += partial[p * columns + c];
    store(total, sum + c);
  }

  KOKKOS_FUNCTION static void store(float total, float* out) {
    if constexpr (mode == SumMode::add)
      *out += total;
    else
      *out = total;
  }

  template <class Member>
  KOKKOS_FUNCTION void by_team(Member const& team) const {
    float const* const column = partial + team.league_rank();
    const Index step = columns;
    float total = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, parts), [=](Index p, float& part) { part += column[p * step]; }, total);
    float* const out = sum + team.league_rank();
    Kokkos::single(Kokkos::PerTeam(team), [=]() { store(total, out); });
  }
};

template <SumMode mode>
void add_parts_as(Space const& exec, Index parts, Index columns, float const* partial, float* sum) {
  const SumOfParts<mode> work{parts, columns, partial, sum};
  if constexpr (on_device)
    Kokkos::parallel_for("add_parts", teams_of_rows(exec, columns, parts), work);
  else
    Kokkos::parallel_for("add_parts", Range(exec, 0, columns), work);
}

}  // namespace

Index row_parts(Space const& exec) {
  return row_parts(Index{exec.concurrency()});
}

void row_sum(Space const& exec, Index rows, Index columns, float const* x, float* sum, float* scratch,
             SumMode mode) {
  const Index parts = row_parts(exec);
  const PartialSum partial{rows, columns, (rows + parts - 1) / parts, x, scratch};
  Kokkos::parallel_for("row_sum", teams_of_rows(exec, parts, columns), partial);
  add_parts(exec, parts, columns, scratch, sum, mode);
}

void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode) {
  if (mode == SumMode::add)
    add_parts_as<SumMode::add>(exec, parts, columns, partial, sum);
  else
    add_parts_as<SumMode::assign>(exec, parts, columns, partial, sum);
}

}  // namespace ddproxy::kernels
