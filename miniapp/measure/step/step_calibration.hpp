// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/calibrate.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/step/step_context.hpp"

namespace ddproxy {

/// The tables about all-reduces from which a whole step is predicted.
struct StepTables {
  std::vector<SizeTimes> allreduce;               ///< a(x), x in bytes on the wire; none if it is replayed
  std::vector<ContentionSample> contention = {};  ///< co-runs of backward operators and all-reduces
};

/// Measures a(x) at general message sizes and at the sizes of the step's buckets. Also measures kappa and
/// gamma, the speeds of compute and all-reduces that run at the same time. Runs no step. Overwrites gradients
/// and activations. Collective.
StepTables calibrate_step(StepContext& context);

}  // namespace ddproxy
