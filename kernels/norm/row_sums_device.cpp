// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/teams.hpp"
#include "kernels/norm/row_packs.hpp"
#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels::devices {
namespace {

/// Assigns the partial sums of x, and a copy of x in bf16 unless `copy` is a null pointer. A work item is
/// `width` columns of one part. With a copy, `width` must be 4.
template <int width>
struct PartialSum {
  RowParts size;
  float const* x;
  float* partial;
  FourBf16* copy = nullptr;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index packs_of_row = size.columns / width, column = item % packs_of_row, part = item / packs_of_row;
    Pack<width> total = {};
    for (Index row = size.first_row(part); row < size.end_row(part); ++row) {
      const auto values = packs<width>(x + row * size.columns)[column];
      for (int i = 0; i < width; ++i) total.of[i] += values.of[i];
      if constexpr (width == 4)
        if (copy != nullptr) copy[row * packs_of_row + column] = to_four_bf16(values.of);
    }
    packs<width>(partial)[item] = total;
  }
};

/// Sums the partial sums of each column. A team works on 32 neighbouring columns. Each thread sums a share of
/// the parts and stores its sums in the team's scratch memory. The first thread adds the sums of all threads.
struct SumOfParts {
  static constexpr int width = 32, most_threads = 16;
  using Totals =
      Kokkos::View<float[most_threads][width], Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Index parts;
  Index columns;
  float const* partial;
  float* sum;
  bool adds;

  static Teams policy(Space const& exec, Index columns) {
    const int league = static_cast<int>((columns + width - 1) / width);
    return Teams(exec, league, on_device ? most_threads : 1, on_device ? width : 1)
        .set_scratch_size(0, Kokkos::PerTeam(Totals::shmem_size()));
  }

  /// Returns the sum over the parts first, first + threads, first + 2 threads, ... of a column. It requests
  /// several parts at once, because each load takes long.
  KOKKOS_FUNCTION float share(Index column, Index first, Index threads) const {
    constexpr int at_once = 8;
    float sums[at_once] = {};
    Index p = first;
    for (; p + (at_once - 1) * threads < parts; p += at_once * threads)
      for (int i = 0; i < at_once; ++i) sums[i] += partial[(p + i * threads) * columns + column];
    for (; p < parts; p += threads) sums[0] += partial[p * columns + column];
    for (int i = 1; i < at_once; ++i) sums[0] += sums[i];
    return sums[0];
  }

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Totals totals(team.team_scratch(0));
    const Index first = Index{team.league_rank()} * width, left = columns - first;
    const int mine = left < width ? static_cast<int>(left) : width, threads = team.team_size();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine), [&](int lane) {
      totals(team.team_rank(), lane) = share(first + lane, team.team_rank(), threads);
    });
    team.team_barrier();
    if (team.team_rank() > 0) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine), [&](int lane) {
      float total = adds ? sum[first + lane] : 0;
      for (int thread = 0; thread < threads; ++thread) total += totals(thread, lane);
      sum[first + lane] = total;
    });
  }
};

}  // namespace

void row_sum(Space const& exec, RowParts size, float const* x, float* partial) {
  if (packs_of_four(size.columns, x, partial))
    Kokkos::parallel_for("row_sum", items(exec, size, 4), PartialSum<4>{size, x, partial});
  else
    Kokkos::parallel_for("row_sum", items(exec, size, 1), PartialSum<1>{size, x, partial});
}

void row_sum_and_copy(Space const& exec, RowParts size, float const* x, float* partial, Bf16* copy) {
  Kokkos::parallel_for("row_sum and bf16", items(exec, size, 4),
                       PartialSum<4>{size, x, partial, reinterpret_cast<FourBf16*>(copy)});
}

void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode) {
  Kokkos::parallel_for("add_parts", SumOfParts::policy(exec, columns),
                       SumOfParts{parts, columns, partial, sum, mode == SumMode::add});
}

}  // namespace ddproxy::kernels::devices
