// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/base/teams.hpp"
#include "kernels/norm/row_packs.hpp"
#include "kernels/norm/row_sums.hpp"

namespace ddproxy::kernels::devices {
namespace {

/// Two sums over a row, computed in one pass.
struct TwoSums {
  float first = 0, second = 0;
  KOKKOS_FUNCTION TwoSums& operator+=(TwoSums const& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

/// The work of one thread: adds the gradient of x to one row of dx. The vector lanes of the thread share the
/// row. The first pass reads the row from memory, the second pass from a cache.
template <int width>
struct LayernormOfX {
  RowParts size;
  NormInputs in;
  RowStatistics statistics;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= size.rows) return;
    auto const* const x = packs<width>(in.x + row * size.columns);
    auto const* const d = packs<width>(in.dy + row * size.columns);
    auto const* const w = packs<width>(in.weight);
    const float mean = statistics.mean[row], rstd = statistics.rstd[row];
    TwoSums sums;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, size.columns / width),
        [=](Index c, TwoSums& part) {
          const auto xs = x[c], ds = d[c], ws = w[c];
          for (int i = 0; i < width; ++i) {
            const float dw = ds.of[i] * ws.of[i];
            part += {dw, dw * (xs.of[i] - mean)};
          }
        },
        sums);
    const auto columns = static_cast<float>(size.columns);
    const float mean_d = sums.first / columns, mean_dx = sums.second * rstd / columns;
    auto* const out = packs<width>(dx + row * size.columns);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size.columns / width), [=](Index c) {
      const auto xs = x[c], ds = d[c], ws = w[c];
      auto sum = out[c];
      for (int i = 0; i < width; ++i)
        sum.of[i] += rstd * (ds.of[i] * ws.of[i] - mean_d - (xs.of[i] - mean) * rstd * mean_dx);
      out[c] = sum;
    });
  }
};

/// Assigns the partial sums of dweight and dbias. A work item is `width` columns of one part.
template <int width>
struct LayernormOfParameters {
  RowParts size;
  NormInputs in;
  RowStatistics statistics;
  float* partial;  ///< [2, parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index packs_of_row = size.columns / width, column = item % packs_of_row, part = item / packs_of_row;
    Pack<width> of_weight = {}, of_bias = {};
    for (Index row = size.first_row(part); row < size.end_row(part); ++row) {
      const auto x = packs<width>(in.x + row * size.columns)[column];
      const auto d = packs<width>(in.dy + row * size.columns)[column];
      const float mean = statistics.mean[row], rstd = statistics.rstd[row];
      for (int i = 0; i < width; ++i) {
        of_weight.of[i] += d.of[i] * (x.of[i] - mean) * rstd;
        of_bias.of[i] += d.of[i];
      }
    }
    packs<width>(partial)[item] = of_weight;
    packs<width>(partial + size.parts * size.columns)[item] = of_bias;
  }
};

/// The work of one thread: adds the gradient of x to one row of dx. The vector lanes of the thread share the
/// row.
template <int width>
struct RmsnormOfX {
  RowParts size;
  NormInputs in;
  float const* inverse_rms;
  float* dx;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    const Index row = row_of(team);
    if (row >= size.rows) return;
    auto const* const x = packs<width>(in.x + row * size.columns);
    auto const* const d = packs<width>(in.dy + row * size.columns);
    auto const* const w = packs<width>(in.weight);
    float product = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, size.columns / width),
        [=](Index c, float& part) {
          const auto xs = x[c], ds = d[c], ws = w[c];
          for (int i = 0; i < width; ++i) part += ds.of[i] * ws.of[i] * xs.of[i];
        },
        product);
    const float inverse = inverse_rms[row];
    const float factor = product * inverse * inverse / static_cast<float>(size.columns);
    auto* const out = packs<width>(dx + row * size.columns);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size.columns / width), [=](Index c) {
      const auto xs = x[c], ds = d[c], ws = w[c];
      auto sum = out[c];
      for (int i = 0; i < width; ++i) sum.of[i] += inverse * (ds.of[i] * ws.of[i] - xs.of[i] * factor);
      out[c] = sum;
    });
  }
};

/// Assigns the partial sums of dweight. A work item is `width` columns of one part.
template <int width>
struct RmsnormOfWeight {
  RowParts size;
  NormInputs in;
  float const* inverse_rms;
  float* partial;  ///< [parts, columns]

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index packs_of_row = size.columns / width, column = item % packs_of_row, part = item / packs_of_row;
    Pack<width> total = {};
    for (Index row = size.first_row(part); row < size.end_row(part); ++row) {
      const auto x = packs<width>(in.x + row * size.columns)[column];
      const auto d = packs<width>(in.dy + row * size.columns)[column];
      const float inverse = inverse_rms[row];
      for (int i = 0; i < width; ++i) total.of[i] += d.of[i] * x.of[i] * inverse;
    }
    packs<width>(partial)[item] = total;
  }
};

template <int width>
void layernorm(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
               float* partial) {
  Kokkos::parallel_for("layernorm sums", items(exec, size, width),
                       LayernormOfParameters<width>{size, in, statistics, partial});
  Kokkos::parallel_for("layernorm dx", threads_of_rows(exec, size.rows),
                       LayernormOfX<width>{size, in, statistics, dx});
}

template <int width>
void rmsnorm(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
             float* partial) {
  Kokkos::parallel_for("rmsnorm sums", items(exec, size, width),
                       RmsnormOfWeight<width>{size, in, inverse_rms, partial});
  Kokkos::parallel_for("rmsnorm dx", threads_of_rows(exec, size.rows),
                       RmsnormOfX<width>{size, in, inverse_rms, dx});
}

}  // namespace

void layernorm_backward(Space const& exec, RowParts size, NormInputs in, RowStatistics statistics, float* dx,
                        float* partial) {
  const bool packed = packs_of_four(size.columns, in.x, in.weight, in.dy, dx, partial);
  (packed ? layernorm<4> : layernorm<1>)(exec, size, in, statistics, dx, partial);
}

void rmsnorm_backward(Space const& exec, RowParts size, NormInputs in, float const* inverse_rms, float* dx,
                      float* partial) {
  const bool packed = packs_of_four(size.columns, in.x, in.weight, in.dy, dx, partial);
  (packed ? rmsnorm<4> : rmsnorm<1>)(exec, size, in, inverse_rms, dx, partial);
}

}  // namespace ddproxy::kernels::devices
