// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/step/step_context.hpp"

namespace ddproxy {

/// What the prediction of a whole step needs from the all-reduces.
struct StepTables {
  std::vector<SizeTimes> allreduce;               ///< a(x), x in bytes on the wire; none if it is replayed
  std::vector<ContentionSample> contention = {};  ///< co-runs of backward operators and all-reduces
};

/// Measures a(x) at general sizes and at those of the step's buckets, and kappa and gamma. No step runs
/// meanwhile. Overwrites gradients and activations. Collective.
StepTables calibrate_step(StepContext& context);

}  // namespace ddproxy
