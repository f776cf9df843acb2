// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/uncertainty.hpp"

namespace ddproxy {

/// Returns the samples in the form that the model takes: the times of the operations on all ranks, and a(x).
/// The message sizes are converted from bytes on the wire to bytes of gradients in fp32. If `known` is not
/// null, a(x) is taken from it, and `allreduce` is not used. The result has no contention and no copies; the
/// caller adds them. Call it on rank 0, which has the times of all ranks.
model::Measurements collect_measurements(RankContext const& context, OperationTimes const& operations,
                                         std::vector<SizeTimes> const& allreduce,
                                         model::TableCost const* known);

}  // namespace ddproxy
