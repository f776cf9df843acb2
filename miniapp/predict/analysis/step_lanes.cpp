// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/analysis/step_lanes.hpp"

#include "model/step/describe.hpp"

namespace ddproxy {

StepLanes step_lanes(model::Summary const& measured, model::Summary const& predicted) {
  StepLanes lanes{{}, measured.bubble, predicted.bubble};
  for (auto const& [lane, busy] : measured.lane_busy)
    lanes.rows.push_back({name_of(lane), busy, predicted.lane_busy.at(lane)});
  return lanes;
}

}  // namespace ddproxy
