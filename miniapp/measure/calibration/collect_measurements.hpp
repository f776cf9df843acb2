// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// What was measured, as the model takes it: the operations of all ranks, and a(x) (`known` where it is a
/// table's). No contention and no copies yet.
model::Measurements collect_measurements(RankContext const& context, OperationTimes const& layers,
                                         std::vector<SizeTimes> const& allreduce,
                                         model::TableCost const* known);

}  // namespace ddproxy
