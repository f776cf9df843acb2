// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/allreduce_cost.hpp"

namespace ddproxy::model {

/// A cheap lower bound of an all-reduce time a(x). It is valid if a(x) never decreases with the bytes x. It
/// returns a() of the size rounded down to a few significant bits, and calls a() only once for each rounded
/// size. The function `cost` must outlive this object.
class CostFloor {
 public:
  explicit CostFloor(AllreduceCost const& cost);
  double operator()(std::int64_t bytes);  ///< seconds, at most cost(bytes); `bytes` is at least 1

 private:
  AllreduceCost const& cost_;
  std::vector<double> seconds_;  // [rounded size]; negative: not computed yet
};

}  // namespace ddproxy::model
