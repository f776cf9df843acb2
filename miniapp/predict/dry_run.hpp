// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// Describes for people what a run of this input would do: gradients, buckets of each case, memory, and its
/// duration if the costs are known. Throws if such a run is impossible, as check_can_run() does.
std::string describe_plan(Config const& config, Workload const& workload);

}  // namespace ddproxy
