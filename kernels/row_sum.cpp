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

/// The same on a device. A work item is one column of one part, so neighbouring threads read neighbouring
/// elements, and no thread waits for another.
struct PartialSumOfColumn {
  Index rows;
  Index columns;
  Index rows_a_part;
  float const* x;
  float* partial;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % columns, first = item / columns * rows_a_part;
    const Index last = Kokkos::min(rows, first + rows_a_part);
    float total = 0;
    for (Index row = first; row < last; ++row) total += x[row * columns + column];
    partial[item] = total;
  }
};

template <SumMode mode>
KOKKOS_INLINE_FUNCTION void store(float total, float* out) {
  if constexpr (mode == SumMode::add)
    *out += total;
  else
    *out = total;
}

/// Sums the partial sums of each column on a host. A work item is one column, and the compiler vectorizes
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

/// Sums the partial sums of each column on a device. A team has 32 neighbouring columns. Its threads share
/// the parts, and their totals meet in the team's scratch memory.
template <SumMode mode>
struct SumOfPartsByTeam {
  static constexpr int width = 32, threads = 16;
  using Totals = Kokkos::View<float[threads][width], Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Index parts;
  Index columns;
  float const* partial;
  float* sum;

  static Teams policy(Space const& exec, Index columns) {
    return Teams(exec, static_cast<int>((columns + width - 1) / width), threads, width)
        .set_scratch_size(0, Kokkos::PerTeam(Totals::shmem_size()));
  }

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Totals totals(team.team_scratch(0));
    const Index first = Index{team.league_rank()} * width;
    const int mine = static_cast<int>(Kokkos::min<Index>(width, columns - first));
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine), [&](int lane) {
      float total = 0;
      for (Index p = team.team_rank(); p < parts; p += threads) total += partial[p * columns + first + lane];
      totals(team.team_rank(), lane) = total;
    });
    team.team_barrier();
    if (team.team_rank() > 0) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine), [&](int lane) {
      float total = 0;
      for (int thread = 0; thread < threads; ++thread) total += totals(thread, lane);
      store<mode>(total, sum + first + lane);
    });
  }
};

template <SumMode mode>
void add_parts_as(Space const& exec, Index parts, Index columns, float const* partial, float* sum) {
  if constexpr (on_device)
    Kokkos::parallel_for("add_parts", SumOfPartsByTeam<mode>::policy(exec, columns),
                         SumOfPartsByTeam<mode>{parts, columns, partial, sum});
  else
    Kokkos::parallel_for("add_parts", Range(exec, 0, columns),
                         SumOfParts<mode>{parts, columns, partial, sum});
}

}  // namespace

Index row_parts(Space const& exec) {
  return row_parts(Index{exec.concurrency()});
}

void row_sum(Space const& exec, Index rows, Index columns, float const* x, float* sum, float* scratch,
             SumMode mode) {
  const Index parts = row_parts(exec);
  const Index rows_a_part = (rows + parts - 1) / parts;
  if constexpr (on_device)
    Kokkos::parallel_for("row_sum", Range(exec, 0, parts * columns),
                         PartialSumOfColumn{rows, columns, rows_a_part, x, scratch});
  else
    Kokkos::parallel_for("row_sum", teams_of_rows(exec, parts, columns),
                         PartialSum{rows, columns, rows_a_part, x, scratch});
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
