// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "model/predict/graph/summarise.hpp"

namespace ddproxy {

/// The busy time of a lane (model::Summary::lane_busy) in a step, in seconds.
struct LaneRow {
  std::string name;      ///< "compute", "communication", "communication 1", and so on
  double busy = 0;       ///< in a step that was run
  double predicted = 0;  ///< in the predicted step
};

/// The busy times of all lanes of a rank, and its bubble (model::Summary::bubble), in seconds.
struct StepLanes {
  std::vector<LaneRow> rows;  ///< compute first; empty if no step was summarised
  double bubble = not_available;
  double predicted_bubble = not_available;
};

/// Puts the lanes of a measured and of a predicted step side by side. Both steps must have the same lanes;
/// otherwise throws std::out_of_range.
StepLanes step_lanes(model::Summary const& measured, model::Summary const& predicted);

}  // namespace ddproxy
