// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/allreduce_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace ddproxy::model {
namespace {

void check_table(std::span<const CostPoint> table) {
  if (table.size() < 2) {
    throw std::invalid_argument("all-reduce table: the number of message sizes is " +
                                std::to_string(table.size()) + "; at least two are needed to interpolate");
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].bytes <= 0 || !std::isfinite(table[i].seconds) || table[i].seconds <= 0) {
      throw std::invalid_argument("all-reduce table: row " + std::to_string(i + 1) +
                                  ": bytes and seconds must be positive and finite");
    }
    if (i > 0 && table[i].bytes <= table[i - 1].bytes) {
      throw std::invalid_argument("all-reduce table: row " + std::to_string(i + 1) +
                                  ": bytes must be larger than in the row before");
    }
  }
}

/// Returns the slope of the chord between two points.
double chord(LogPoint const& from, LogPoint const& to) {
  return (to.y - from.y) / (to.x - from.x);
}

/// Returns the weighted harmonic mean of the two neighbouring chords' slopes. The weights depend on the
/// lengths of the intervals. Returns 0 if a chord does not rise. This choice keeps the interpolant monotone
/// (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5(2), 1984).
double inner_slope(LogPoint const& before, LogPoint const& here, LogPoint const& after) {
  const double left = chord(before, here);
  const double right = chord(here, after);
  if (left <= 0 || right <= 0) return 0;
  const double w_left = (here.x - before.x) + 2 * (after.x - here.x);
  const double w_right = 2 * (here.x - before.x) + (after.x - here.x);
  return (w_left + w_right) / (w_left / left + w_right / right);
}

std::vector<LogPoint> log_points(std::span<const CostPoint> table) {
  const std::size_t n = table.size();
  std::vector<LogPoint> points;
  for (CostPoint const& point : table) {
    points.push_back({std::log(static_cast<double>(point.bytes)), std::log(point.seconds), 0.0});
  }
  points[0].slope = chord(points[0], points[1]);
  points[n - 1].slope = chord(points[n - 2], points[n - 1]);
  for (std::size_t i = 1; i + 1 < n; ++i)
    points[i].slope = inner_slope(points[i - 1], points[i], points[i + 1]);
  return points;
}

/// Returns the seconds at `bytes` on the line through two points.
double line(CostPoint const& a, CostPoint const& b, double bytes) {
  const double x_a = static_cast<double>(a.bytes);
  const double x_b = static_cast<double>(b.bytes);
  return a.seconds + (b.seconds - a.seconds) * ((bytes - x_a) / (x_b - x_a));
}

/// Returns the last point that took less time than the largest message, or the first point if no point did.
/// The points between it and the largest message have the same time as the largest message. Their times were
/// raised to the running maximum, so they give no information about the bandwidth.
CostPoint const& last_below(std::vector<CostPoint> const& table) {
  const auto below = std::find_if(table.rbegin() + 1, table.rend() - 1, [&](CostPoint const& point) {
    return point.seconds < table.back().seconds;
  });
  return *below;
}

/// Returns the cubic Hermite interpolant at x, which lies between two points.
double hermite(LogPoint const& a, LogPoint const& b, double x) {
  const double width = b.x - a.x;
  const double t = (x - a.x) / width;
  const double s = 1 - t;
  return a.y + t * t * (3 - 2 * t) * (b.y - a.y) + width * t * s * (s * a.slope - t * b.slope);
}

}  // namespace

AlphaBeta fit_alpha_beta(std::span<const CostPoint> table) {
  check_table(table);
  // Minimises the sum of ((alpha + x / beta - t) / t)^2 by the normal equations with weights 1 / t^2.
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  for (CostPoint const& point : table) {
    const double x = static_cast<double>(point.bytes);
    const double weight = 1 / (point.seconds * point.seconds);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * point.seconds;
    wxt += weight * x * point.seconds;
  }
  const double determinant = w * wxx - wx * wx;
  const double alpha = (wxx * wt - wx * wxt) / determinant;
  const double slope = (w * wxt - wx * wt) / determinant;
  // Latency and bandwidth cannot be negative. If the unconstrained minimum has a negative alpha or 1 / beta,
  // the constrained minimum has 0 in place of the negative value.
  if (alpha < 0) return {0.0, wxx / wxt};
  if (slope <= 0) return {wt / w, std::numeric_limits<double>::infinity()};
  return {alpha, 1 / slope};
}

RelativeError error_of(AlphaBeta const& law, std::span<const CostPoint> table) {
  RelativeError result;
  for (CostPoint const& point : table) {
    const double error = std::abs(law(point.bytes) - point.seconds) / point.seconds;
    result.mean += error / static_cast<double>(table.size());
    result.largest = std::max(result.largest, error);
  }
  result.mean = std::min(result.mean, result.largest);  // rounding can make the mean exceed the largest error
  return result;
}

TableCost::TableCost(std::vector<CostPoint> table) : table_(std::move(table)) {
  check_table(table_);
  for (std::size_t i = 1; i < table_.size(); ++i)
    table_[i].seconds = std::max(table_[i].seconds, table_[i - 1].seconds);
  log_points_ = log_points(table_);
}

double TableCost::operator()(std::int64_t bytes) const {
  if (bytes <= 0) return 0;
  const double x = static_cast<double>(bytes);
  const std::size_t n = table_.size();
  if (bytes < table_.front().bytes) {
    const double proportional = table_[0].seconds * x / static_cast<double>(table_[0].bytes);
    return std::max(proportional, line(table_[0], table_[1], x));
  }
  if (bytes > table_.back().bytes) return line(last_below(table_), table_[n - 1], x);
  const auto above = std::upper_bound(table_.begin() + 1, table_.end() - 1, bytes,
                                      [](std::int64_t b, CostPoint const& point) { return b < point.bytes; });
  const std::size_t i = static_cast<std::size_t>(above - table_.begin());
  return std::exp(hermite(log_points_[i - 1], log_points_[i], std::log(x)));
}

bool TableCost::covers(std::int64_t bytes) const {
  return table_.front().bytes <= bytes && bytes <= table_.back().bytes;
}

Unfalling never_falling(AllreduceCost cost, std::int64_t low, std::int64_t high) {
  constexpr double step = 1.0905077326652577;  // 2^(1/8)
  std::vector<CostPoint> points{{low, cost(low)}};
  for (double size = static_cast<double>(low); points.back().bytes < high; size *= step) {
    const std::int64_t bytes = std::min(high, static_cast<std::int64_t>(size));
    if (bytes > points.back().bytes) points.push_back({bytes, cost(bytes)});
  }
  const auto falls = [](CostPoint const& a, CostPoint const& b) {
    return b.seconds < a.seconds * (1 - 1e-9);
  };
  if (std::ranges::adjacent_find(points, falls) == points.end()) return {std::move(cost), false};
  const TableCost raised(std::move(points));
  return {[cost = std::move(cost), raised](std::int64_t bytes) {
            if (raised.covers(bytes)) return raised(bytes);
            CostPoint const &first = raised.table().front(), &last = raised.table().back();
            return bytes < first.bytes ? std::min(cost(bytes), first.seconds)
                                       : std::max(cost(bytes), last.seconds);
          },
          true};
}

}  // namespace ddproxy::model
