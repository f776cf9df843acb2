// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/bucket_plan.hpp"
#include "model/timeline.hpp"
#include "planner/config.hpp"
#include "planner/workload.hpp"

namespace ddproxy {

/// One case of the sweep: a strategy, and for `bucketed` a cap.
struct Case {
  Strategy strategy;
  double cap_mib = 0;  ///< `bucketed` only, else 0
  bool overlapped;     ///< false: every bucket starts after the backward pass
  model::Plan plan;

  std::int64_t cap_bytes() const;
  std::string name() const;  ///< for instance "bucketed/25"
};

/// The cases of the input file, in its order; `bucketed` once for each cap.
std::vector<Case> make_cases(Config const& config, Workload const& workload);

/// What the model needs to know of the machine.
struct Costs {
  std::vector<double> ready;  ///< r_i, seconds
  double t_compute = 0;
  model::AllreduceCost allreduce;
};

model::Timeline predict(Case const& item, Costs const& costs);

}  // namespace ddproxy
