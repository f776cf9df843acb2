// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ddproxy::model {

/// a(x): seconds for one all-reduce of x bytes, alone on the machine, calls in a row on one stream.
using AllreduceCost = std::function<double(std::int64_t bytes)>;

/// One measured point of a(x).
struct CostPoint {
  std::int64_t bytes;
  double seconds;
};

/// a(x) = alpha + x / beta.
struct AlphaBeta {
  double alpha;  ///< seconds a call
  double beta;   ///< bytes per second
  double operator()(std::int64_t bytes) const { return alpha + static_cast<double>(bytes) / beta; }
};

/// Least squares of the relative error, so that small and large messages count alike. Throws
/// std::invalid_argument for fewer than two points.
AlphaBeta fit_alpha_beta(std::span<const CostPoint> table);

/// How far a law is from a table: |law - seconds| / seconds, over its rows.
struct RelativeError {
  double mean = 0;
  double largest = 0;
};

RelativeError error_of(AlphaBeta const& law, std::span<const CostPoint> table);

/// A point of a table in log-log, with the interpolant's slope.
struct LogPoint {
  double x;      ///< log(bytes)
  double y;      ///< log(seconds)
  double slope;  ///< dy / dx
};

/// Interpolation of a measured table: monotone cubic in log-log (Fritsch and Carlson, SIAM J. Numer. Anal.
/// 17(2), 1980). Outside the table: linear in bytes through the two end points (above it, through the last
/// that differ), below it never less than proportional. Where seconds fall as bytes grow, the running maximum
/// is taken. Zero bytes cost nothing.
class TableCost {
 public:
  /// Throws std::invalid_argument for fewer than two points, bytes that do not rise, values that are not
  /// positive and finite.
  explicit TableCost(std::vector<CostPoint> table);
  double operator()(std::int64_t bytes) const;
  bool covers(std::int64_t bytes) const;           ///< false where the figure is an extrapolation
  double raised_by() const { return raised_by_; }  ///< largest share by which a point was raised
  bool was_made_monotone() const { return raised_by_ > 0; }
  std::vector<CostPoint> const& table() const { return table_; }

 private:
  std::vector<CostPoint> table_;
  std::vector<LogPoint> log_points_;
  double raised_by_ = 0;
};

/// A derived a(x) where it does not fall as bytes grow, looked at eight times an octave from `low` to `high`
/// bytes; else its running maximum there, and beyond these ends no less (below: no more) than at them.
struct Unfalling {
  AllreduceCost cost;
  bool raised;  ///< true where the running maximum was taken
};
Unfalling never_falling(AllreduceCost cost, std::int64_t low, std::int64_t high);

}  // namespace ddproxy::model
