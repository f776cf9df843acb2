// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "kernels/norm/layernorm.hpp"
#include "kernels/norm/norm_forward.hpp"
#include "kernels/norm/rmsnorm.hpp"
#include "kernels/norm/row_passes.hpp"

namespace ddproxy::kernels::hosts {
namespace {

/// Rows with more columns are wide. x, y, weight and bias of a wide row are together larger than the
/// first-level cache.
constexpr Index wide = 2048;
/// Number of wide rows in a group. A group is written one block of columns after another, so that its rows
/// share each read of weight and bias. The cache lines of y that a group prefetches must stay in a cache
/// until they are written.
constexpr Index group_rows = 4;
/// Number of columns in a block.
constexpr Index block = 256;

void write_row(Index count, float const* KOKKOS_RESTRICT x, float const* KOKKOS_RESTRICT weight,
               float const* KOKKOS_RESTRICT bias, float* KOKKOS_RESTRICT y, float mean, float rstd) {
  if (bias == nullptr)
    for (Index c = 0; c < count; ++c) y[c] = (x[c] - mean) * rstd * weight[c];
  else
    for (Index c = 0; c < count; ++c) y[c] = (x[c] - mean) * rstd * weight[c] + bias[c];
}

/// Assigns mean and rstd of each row.
struct Statistics {
  NormForward in;
  RowStatistics out;

  float const* x(Index row) const { return in.x + row * in.columns; }
  void assign(Index row, float mean, float variance) const {
    out.mean[row] = mean;
    out.rstd[row] = 1 / Kokkos::sqrt(variance + layernorm_epsilon);
  }

  /// Takes the mean in a first pass and the variance in a second one. The second pass calls `request`
  /// to fetch the outputs into the cache.
  template <class Requests>
  void two_passes(Index row, Requests const& request) const {
    const auto columns = static_cast<float>(in.columns);
    const auto value = [](auto v) { return v; };
    const float mean = rows::sum(in.columns, value, rows::request_nothing, x(row)) / columns;
    const auto square = [mean](auto v) {
      const auto difference = v - mean;
      return difference * difference;
    };
    assign(row, mean, rows::sum(in.columns, square, request, x(row)) / columns);
  }

  /// Takes the sums of v - s and of (v - s)^2 over the elements v of the row in one pass, where s is the
  /// first element. Unlike the mean, s is known before the pass, so one pass is enough. If s is more than
  /// `most_deviations` standard deviations away from the mean, too many digits are lost. In this case the
  /// function takes two passes.
  void one_pass(Index row) const {
    constexpr float most_deviations = 4;
    const auto columns = static_cast<float>(in.columns);
    const float shift = x(row)[0];
    const auto shifted = [shift](auto v) {
      const auto difference = v - shift;
      return rows::TwoSums<decltype(v * v)>{difference, difference * difference};
    };
    const auto sums = rows::sum(in.columns, shifted, rows::request_nothing, x(row));
    const float distance = sums.first / columns;
    const float variance = sums.second / columns - distance * distance;
    if (distance * distance > most_deviations * most_deviations * variance)
      return two_passes(row, rows::request_nothing);
    assign(row, shift + distance, variance);
  }
};

struct LayernormForward {
  NormForward in;
  float* y;
  Statistics statistics;

  void write(Index row, Index c, Index count) const {
    const Index place = row * in.columns + c;
    write_row(count, in.x + place, in.weight + c, in.bias == nullptr ? nullptr : in.bias + c, y + place,
              statistics.out.mean[row], statistics.out.rstd[row]);
  }
};

/// A work item is a row.
struct NarrowRows : LayernormForward {
  void operator()(Index row) const {
    statistics.one_pass(row);
    write(row, 0, in.columns);
  }
};

/// A work item is a group of rows. The first pass over a row reads x from memory, the second prefetches y.
struct WideRows : LayernormForward {
  void operator()(Index group) const {
    const Index first = group * group_rows, last = Kokkos::min(in.rows, first + group_rows);
    for (Index row = first; row < last; ++row)
      statistics.two_passes(row, rows::Request{y + row * in.columns});
    for (Index c = 0; c < in.columns; c += block)
      for (Index row = first; row < last; ++row) write(row, c, Kokkos::min(block, in.columns - c));
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
  const LayernormForward forward{in, y, {in, statistics}};
  if (in.columns <= wide)
    Kokkos::parallel_for(label, Range(exec, 0, in.rows), NarrowRows{forward});
  else
    Kokkos::parallel_for(label, Range(exec, 0, (in.rows + group_rows - 1) / group_rows), WideRows{forward});
}

void rmsnorm_forward(Space const& exec, NormForward const& in, float* y, float* inverse_rms) {
  Kokkos::parallel_for("rmsnorm_forward", Range(exec, 0, in.rows), RmsnormForward{in, y, inverse_rms});
}

}  // namespace ddproxy::kernels::hosts
