// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "miniapp/input/config.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {

/// What a run of this input would do, for people: gradients, buckets of each case, memory, and the time where
/// costs are known. Throws where a run could not do it.
std::string describe_plan(Config const& config, Workload const& workload);

}  // namespace ddproxy
