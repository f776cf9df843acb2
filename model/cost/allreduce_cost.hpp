// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ddproxy::model {

/// A function that returns a(x): the seconds of one all-reduce of x bytes while no compute runs. ddproxy
/// measures a(x) as the time of several calls in a row, divided by their number.
using AllreduceCost = std::function<double(std::int64_t bytes)>;

/// One measured point of a(x).
struct CostPoint {
  std::int64_t bytes;
  double seconds;
};

/// The affine cost model a(x) = alpha + x / beta.
struct AlphaBeta {
  double alpha;  ///< latency, seconds per call
  double beta;   ///< bytes per second
  double operator()(std::int64_t bytes) const { return alpha + static_cast<double>(bytes) / beta; }
};

/// Fits alpha and beta by least squares of the relative error, so that small and large messages have equal
/// weight. Throws std::invalid_argument for a table that the constructor of TableCost rejects.
AlphaBeta fit_alpha_beta(std::span<const CostPoint> table);

/// The relative error of a fit over the rows of a table: |fit - seconds| / seconds.
struct RelativeError {
  double mean = 0;
  double largest = 0;
};

/// Returns the mean and the largest relative error of the fit `law` over the rows of `table`. Both are 0 for
/// an empty table.
RelativeError error_of(AlphaBeta const& law, std::span<const CostPoint> table);

/// A point of a table in log-log coordinates, with the slope of the interpolant.
struct LogPoint {
  double x;      ///< log(bytes)
  double y;      ///< log(seconds)
  double slope;  ///< dy / dx
};

/// Interpolates a measured table a(x). Inside the table the interpolant is a monotone cubic function of
/// log(bytes) that gives log(seconds) (Fritsch and Carlson, SIAM J. Numer. Anal. 17(2), 1980).
///
/// Outside the table the interpolant is linear in bytes. Above the table it is the line through two points:
/// the last point, and the nearest point before it that took less time. Below the table it is the larger of
/// two lines: the line through the first two points, and the line through the origin and the first point. If
/// the table is not monotonic, its running maximum is used. Zero bytes cost nothing.
class TableCost {
 public:
  /// Builds the interpolant. Throws std::invalid_argument for fewer than two points, for bytes that do not
  /// rise, and for values that are not positive and finite.
  explicit TableCost(std::vector<CostPoint> table);
  /// Returns the seconds of one all-reduce of `bytes` bytes.
  double operator()(std::int64_t bytes) const;
  bool covers(std::int64_t bytes) const;  ///< returns true unless operator() extrapolates to `bytes`
  /// Returns the points after the running maximum was taken.
  std::vector<CostPoint> const& table() const { return table_; }

 private:
  std::vector<CostPoint> table_;
  std::vector<LogPoint> log_points_;
};

/// The result of never_falling(): an a(x) that never decreases with the bytes.
struct Unfalling {
  AllreduceCost cost;
  bool raised;  ///< true if the running maximum is used
};
/// Checks `cost` from `low` to `high` bytes, at eight sizes per factor of 2. Returns `cost` unchanged if it
/// does not decrease. Otherwise returns a new cost that interpolates the running maximum at these sizes.
/// Above `high` the new cost is never less than at `high`; below `low` it is never more than at `low`.
Unfalling never_falling(AllreduceCost cost, std::int64_t low, std::int64_t high);

}  // namespace ddproxy::model
