// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/input/cases.hpp"
#include "model/step/strategies/named_strategy.hpp"
#include "model/step/strategies/whole_step.hpp"

namespace ddproxy {

/// Returns a case of each strategy in the table of strategies. A strategy with caps has two cases, one for
/// each cap. `optimal` gets the plan of a cap, because its best plan depends on measured times.
inline std::vector<Case> preset_cases(Config config, Workload const& workload) {
  config.strategies.assign(model::strategies().begin(), model::strategies().end());
  config.caps_mib = {0.0625, 0.25};
  auto cases = make_cases(config, workload);
  for (auto& item : cases)
    if (item.is_optimal())
      item.plan = model::bucketed_plan(workload.gradient_bytes, std::vector{to_bytes(0.125)});
  return cases;
}

/// Returns whole steps of data-parallel training that together have tasks of every kind. All of them have the
/// buckets of `plan`.
inline std::vector<model::Strategy> preset_steps(model::Plan const& plan) {
  using namespace model;
  const Ddp overlapped{.plan = plan};
  const Ddp copied{.plan = plan, .copies = CopyMode::in_out};
  const Ddp after{.plan = plan, .overlapped = false};
  return {{.ddp = overlapped},
          {.ddp = after, .optimizer = Optimizer::adamw},
          {.ddp = copied, .micro_batches = 2, .clipped = true, .optimizer = Optimizer::adamw},
          {.ddp = overlapped, .micro_batches = 3, .sync = Sync::each, .clipped = true},
          {.ddp = overlapped,
           .micro_batches = 2,
           .clipped = true,
           .optimizer = Optimizer::adamw,
           .checkpoint = Checkpoint::layer}};
}

}  // namespace ddproxy
