// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "kernels/norm/row_passes.hpp"
#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels::hosts {
namespace {

/// Number of rows in a block. First x and dy of all rows of the block are read, then dx of these rows is
/// written. So the memory serves a long run of reads and then a long run of writes. It does not change
/// between reads and writes after each row. While x and dy are read, the cache lines of dx are prefetched.
/// The block is small enough that these lines are still in the second-level cache when dx is written.
constexpr Index rows_at_once = 8;

/// The numbers of one row of x that the gradients depend on.
struct LayernormRow {
  float mean, rstd;
  float mean_d;   ///< avg(d), with the names of layernorm.hpp
  float mean_dx;  ///< avg(d xhat)
};

void add_row(Index columns, LayernormRow row, float const* KOKKOS_RESTRICT x,
             float const* KOKKOS_RESTRICT weight, float const* KOKKOS_RESTRICT dy, float* KOKKOS_RESTRICT dx,
             float* KOKKOS_RESTRICT dweight, float* KOKKOS_RESTRICT dbias) {
  for (Index c = 0; c < columns; ++c) {
    const float xhat = (x[c] - row.mean) * row.rstd;
    dweight[c] += dy[c] * xhat;
    dbias[c] += dy[c];
    dx[c] += row.rstd * (dy[c] * weight[c] - row.mean_d - xhat * row.mean_dx);
  }
}

/// Works on one part of the rows: adds to dx and assigns the partial sums of dweight and dbias.
struct LayernormBackward {
  RowParts size;
  NormInputs in;
  RowStatistics statistics;
  float* dx;
  float* partial;  ///< [2, parts, columns]: the partial sums of dweight, then those of dbias

  void operator()(Index part) const {
    float* const dweight = partial + part * size.columns;
    float* const dbias = dweight + size.parts * size.columns;
    std::fill_n(dweight, size.columns, 0.0F);
    std::fill_n(dbias, size.columns, 0.0F);
    const Index end = size.end_row(part);
    for (Index row = size.first_row(part); row < end; row += rows_at_once)
      add_rows(row, std::min(end, row + rows_at_once), dweight, dbias);
  }

  void add_rows(Index first, Index last, float* dweight, float* dbias) const {
    LayernormRow row[rows_at_once];
    for (Index r = first; r < last; ++r) row[r - first] = averages_of(r);
    for (Index r = first; r < last; ++r) {
      const Index place = r * size.columns;
      add_row(size.columns, row[r - first], in.x + place, in.weight, in.dy + place, dx + place, dweight,
              dbias);
    }
  }

  /// Reads x and dy of a row, and prefetches the lines of its dx.
  LayernormRow averages_of(Index r) const {
    const Index place = r * size.columns;
    const float mean = statistics.mean[r], rstd = statistics.rstd[r];
    const auto term = [mean](auto x, auto weight, auto dy) {
      const auto d = dy * weight;
      return rows::TwoSums<decltype(d * x)>{d, d * (x - mean)};
    };
    const auto sums =
        rows::sum(size.columns, term, rows::Request{dx + place}, in.x + place, in.weight, in.dy + place);
    const auto columns = static_cast<float>(size.columns);
    return {mean, rstd, sums.first / columns, sums.second * rstd / columns};
  }
};

/// The numbers of one row of x that the gradients depend on: `inverse` = 1 / rms and
/// `factor` = (sum of d * x) / (rms^2 * columns). The term xhat * avg(d * xhat) of rmsnorm.hpp equals
/// x * factor.
struct RmsnormRow {
  float inverse, factor;
};

void add_row(Index columns, RmsnormRow row, float const* KOKKOS_RESTRICT x,
             float const* KOKKOS_RESTRICT weight, float const* KOKKOS_RESTRICT dy, float* KOKKOS_RESTRICT dx,
             float* KOKKOS_RESTRICT dweight) {
  for (Index c = 0; c < columns; ++c) {
    dweight[c] += dy[c] * x[c] * row.inverse;
    dx[c] += row.inverse * (dy[c] * weight[c] - x[c] * row.factor);
  }
}

/// Works on one part of the rows: adds to dx and assigns the partial sums of dweight.
struct RmsnormBackward {
  RowParts size;
  NormInputs in;
  float const* inverse_rms;
  float* dx;
  float* partial;  ///< [parts, columns]

  void operator()(Index part) const {
    float* const dweight = partial + part * size.columns;
    std::fill_n(dweight, size.columns, 0.0F);
    const Index end = size.end_row(part);
    for (Index row = size.first_row(part); row < end; row += rows_at_once)
      add_rows(row, std::min(end, row + rows_at_once), dweight);
  }

  void add_rows(Index first, Index last, float* dweight) const {
    RmsnormRow row[rows_at_once];
    for (Index r = first; r < last; ++r) row[r - first] = averages_of(r);
    for (Index r = first; r < last; ++r) {
      const Index place = r * size.columns;
      add_row(size.columns, row[r - first], in.x + place, in.weight, in.dy + place, dx + place, dweight);
    }
  }

  /// Reads x and dy of a row, and prefetches the lines of its dx.
  RmsnormRow averages_of(Index r) const {
    const Index place = r * size.columns;
    const auto term = [](auto x, auto weight, auto dy) { return dy * weight * x; };
    const float product =
        rows::sum(size.columns, term, rows::Request{dx + place}, in.x + place, in.weight, in.dy + place);
    const float inverse = inverse_rms[r];
    return {inverse, product * inverse * inverse / static_cast<float>(size.columns)};
  }
};

}  // namespace

void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial) {
  static const std::string label = "layernorm_backward";
  Kokkos::parallel_for(label, Range(exec, 0, size.parts),
                       LayernormBackward{size, in, statistics, dx, partial});
}

void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial) {
  static const std::string label = "rmsnorm_backward";
  Kokkos::parallel_for(label, Range(exec, 0, size.parts),
                       RmsnormBackward{size, in, inverse_rms, dx, partial});
}

}  // namespace ddproxy::kernels::hosts
