// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/teams.hpp"
#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels::devices {
namespace {

/// Adds the gradient of x to one row of dx. The lanes of the thread share the row.
struct LayernormOfX {
  RowParts size;
  NormInputs in;
  RowStatistics statistics;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= size.rows) return;
    float const* const x = in.x + row * size.columns;
    float const* const d = in.dy + row * size.columns;
    float const* const w = in.weight;
    const float mean = statistics.mean[row], rstd = statistics.rstd[row];
    const auto average = [&](auto const& term) {
      float sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, size.columns), [&](Index c, float& part) { part += term(c); }, sum);
      return sum / static_cast<float>(size.columns);
    };
    const float mean_d = average([=](Index c) { return d[c] * w[c]; });
    const float mean_dx = average([=](Index c) { return d[c] * w[c] * (x[c] - mean) * rstd; });
    float* const out = dx + row * size.columns;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size.columns), [=](Index c) {
      out[c] += rstd * (d[c] * w[c] - mean_d - (x[c] - mean) * rstd * mean_dx);
    });
  }
};

/// Assigns the partial sums of dweight and dbias. A work item is one column of one part.
struct LayernormOfParameters {
  RowParts size;
  NormInputs in;
  RowStatistics statistics;
  float* partial;  ///< [2, parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % size.columns, part = item / size.columns;
    float of_weight = 0, of_bias = 0;
    for (Index row = size.first_row(part); row < size.end_row(part); ++row) {
      const Index place = row * size.columns + column;
      of_weight += in.dy[place] * (in.x[place] - statistics.mean[row]) * statistics.rstd[row];
      of_bias += in.dy[place];
    }
    partial[item] = of_weight;
    partial[item + size.parts * size.columns] = of_bias;
  }
};

/// Adds the gradient of x to one row of dx. The lanes of the thread share the row.
struct RmsnormOfX {
  RowParts size;
  NormInputs in;
  float const* inverse_rms;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= size.rows) return;
    float const* const x = in.x + row * size.columns;
    float const* const d = in.dy + row * size.columns;
    float const* const w = in.weight;
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, size.columns),
        [=](Index c, float& part) { part += d[c] * w[c] * x[c]; }, product);
    const float inverse = inverse_rms[row];
    const float factor = product * inverse * inverse / static_cast<float>(size.columns);
    float* const out = dx + row * size.columns;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size.columns),
                         [=](Index c) { out[c] += inverse * (d[c] * w[c] - x[c] * factor); });
  }
};

/// Assigns the partial sums of dweight. A work item is one column of one part.
struct RmsnormOfWeight {
  RowParts size;
  NormInputs in;
  float const* inverse_rms;
  float* partial;  ///< [parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % size.columns, part = item / size.columns;
    float total = 0;
    for (Index row = size.first_row(part); row < size.end_row(part); ++row) {
      const Index place = row * size.columns + column;
      total += in.dy[place] * in.x[place] * inverse_rms[row];
    }
    partial[item] = total;
  }
};

/// Assigns the partial sums of x. A work item is one column of one part.
struct PartialSum {
  RowParts size;
  float const* x;
  float* partial;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index column = item % size.columns, part = item / size.columns;
    float total = 0;
    for (Index row = size.first_row(part); row < size.end_row(part); ++row)
      total += x[row * size.columns + column];
    partial[item] = total;
  }
};

/// Sums the partial sums of each column. A team has 32 neighbouring columns. Each thread sums a share of the
/// parts and stores its sums in the team's scratch memory. The first thread adds the sums of all threads.
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

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Totals totals(team.team_scratch(0));
    const Index first = Index{team.league_rank()} * width, left = columns - first;
    const int mine = left < width ? static_cast<int>(left) : width, threads = team.team_size();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine), [&](int lane) {
      float total = 0;
      for (Index p = team.team_rank(); p < parts; p += threads) total += partial[p * columns + first + lane];
      totals(team.team_rank(), lane) = total;
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

Range columns_of_parts(Space const& exec, RowParts const& size) {
  return {exec, 0, size.parts * size.columns};
}

}  // namespace

void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial) {
  Kokkos::parallel_for("layernorm sums", columns_of_parts(exec, size),
                       LayernormOfParameters{size, in, statistics, partial});
  Kokkos::parallel_for("layernorm dx", threads_of_rows(exec, size.rows),
                       LayernormOfX{size, in, statistics, dx});
}

void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial) {
  Kokkos::parallel_for("rmsnorm sums", columns_of_parts(exec, size),
                       RmsnormOfWeight{size, in, inverse_rms, partial});
  Kokkos::parallel_for("rmsnorm dx", threads_of_rows(exec, size.rows), RmsnormOfX{size, in, inverse_rms, dx});
}

void row_sum(Space const& exec, RowParts size, float const* x, float* partial) {
  Kokkos::parallel_for("row_sum", columns_of_parts(exec, size), PartialSum{size, x, partial});
}

void add_parts(Space const& exec, Index parts, Index columns, float const* partial, float* sum,
               SumMode mode) {
  Kokkos::parallel_for("add_parts", SumOfParts::policy(exec, columns),
                       SumOfParts{parts, columns, partial, sum, mode == SumMode::add});
}

}  // namespace ddproxy::kernels::devices
