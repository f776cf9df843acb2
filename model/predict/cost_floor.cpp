// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/cost_floor.hpp"

#include <algorithm>
#include <bit>

namespace ddproxy::model {
namespace {

constexpr int digits = 9;  ///< significant bits kept; rounding makes a size smaller by less than 1/256
constexpr int sizes = 1 << (digits - 1);  ///< number of rounded sizes with the same power of two

}  // namespace

CostFloor::CostFloor(AllreduceCost const& cost) : cost_(cost), seconds_(sizes * (65 - digits), -1.0) {}

double CostFloor::operator()(std::int64_t bytes) {
  const int used = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes)));
  const int dropped = std::max(0, used - digits);
  const std::int64_t kept = bytes >> dropped;
  double& seconds = seconds_[static_cast<std::size_t>(dropped * sizes + kept)];
  if (seconds < 0) seconds = cost_(kept << dropped);
  return seconds;
}

}  // namespace ddproxy::model
