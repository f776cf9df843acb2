// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "kernels/layernorm.hpp"
#include "kernels/norm_forward.hpp"
#include "kernels/rmsnorm.hpp"
#include "kernels/row_passes.hpp"

namespace ddproxy::kernels::hosts {
namespace {

/// Number of columns that are written of each row of a group before the next ones. Their weights and biases
/// stay in the first-level cache for all rows of the group.
constexpr Index block = 256;

/// Returns the number of rows of a group. Weight and bias of wide rows are larger than the first-level cache,
/// so that several rows share each read of them. The lines of y that a group requests must stay in a cache.
Index rows_of_group(Index columns) {
  constexpr Index wide = 2048;
  return columns > wide ? 4 : 1;
}

void write_row(Index count, float const* KOKKOS_RESTRICT x, float const* KOKKOS_RESTRICT weight,
               float const* KOKKOS_RESTRICT bias, float* KOKKOS_RESTRICT y, float mean, float rstd) {
  if (bias == nullptr)
    for (Index c = 0; c < count; ++c) y[c] = (x[c] - mean) * rstd * weight[c];
  else
    for (Index c = 0; c < count; ++c) y[c] = (x[c] - mean) * rstd * weight[c] + bias[c];
}

struct LayernormForward {
  NormForward in;
  Index rows_of_group;
  float* y;
  RowStatistics statistics;

  void operator()(Index group) const {
    const Index first = group * rows_of_group;
    const Index last = Kokkos::min(in.rows, first + rows_of_group);
    for (Index row = first; row < last; ++row) assign_statistics(row);
    for (Index c = 0; c < in.columns; c += block)
      for (Index row = first; row < last; ++row) {
        const Index place = row * in.columns + c;
        write_row(Kokkos::min(block, in.columns - c), in.x + place, in.weight + c,
                  in.bias == nullptr ? nullptr : in.bias + c, y + place, statistics.mean[row],
                  statistics.rstd[row]);
      }
  }

  /// Assigns mean and rstd of a row. The first pass reads x from memory. The second pass requests y.
  void assign_statistics(Index row) const {
    const auto columns = static_cast<float>(in.columns);
    float const* const x = in.x + row * in.columns;
    const auto value = [](auto v) { return v; };
    const float mean = rows::sum(in.columns, value, rows::request_nothing, x) / columns;
    const auto square = [mean](auto v) {
      const auto difference = v - mean;
      return difference * difference;
    };
    const float squares = rows::sum(in.columns, square, rows::Request{y + row * in.columns}, x);
    statistics.mean[row] = mean;
    statistics.rstd[row] = 1 / Kokkos::sqrt(squares / columns + layernorm_epsilon);
  }
};

struct RmsnormForward {
  NormForward in;
  float* y;
  float* inverse_rms;

  void operator()(Index row) const {
    float const* const x = in.x + row * in.columns;
    const auto square = [](auto v) { return v * v; };
    const float squares = rows::sum(in.columns, square, rows::request_nothing, x);
    const float inverse = 1 / Kokkos::sqrt(squares / static_cast<float>(in.columns) + rmsnorm_epsilon);
    inverse_rms[row] = inverse;
    write(x, y + row * in.columns, inverse);
  }

  void write(float const* KOKKOS_RESTRICT x, float* KOKKOS_RESTRICT out, float inverse) const {
    float const* const weight = in.weight;
    const Index columns = in.columns;
    for (Index c = 0; c < columns; ++c) out[c] = x[c] * inverse * weight[c];
  }
};

}  // namespace

void layernorm_forward(Space const& exec, NormForward const& in, float* y, RowStatistics statistics) {
  static const std::string label = "layernorm_forward";
  const Index group = rows_of_group(in.columns);
  Kokkos::parallel_for(label, Range(exec, 0, (in.rows + group - 1) / group),
                       LayernormForward{in, group, y, statistics});
}

void rmsnorm_forward(Space const& exec, NormForward const& in, float* y, float* inverse_rms) {
  Kokkos::parallel_for("rmsnorm_forward", Range(exec, 0, in.rows), RmsnormForward{in, y, inverse_rms});
}

}  // namespace ddproxy::kernels::hosts
