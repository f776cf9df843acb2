// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/cost/allreduce_cost.hpp"

namespace ddproxy::model {

/// A lower bound of an a(x) that does not fall, for a fraction of its time: a() of the next smaller size with
/// few significant binary digits, which is asked for once. What it refers to must outlive it.
class CostFloor {
 public:
  explicit CostFloor(AllreduceCost const& cost);
  double operator()(std::int64_t bytes);  ///< seconds, at most cost(bytes); bytes from 1 on

 private:
  AllreduceCost const& cost_;
  std::vector<double> seconds_;  // by size; negative: not asked for yet
};

}  // namespace ddproxy::model
