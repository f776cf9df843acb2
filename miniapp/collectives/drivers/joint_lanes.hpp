// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/joint_driver.hpp"

namespace ddproxy {

/// Returns a lane for each engine. The lanes share a JointDriver and own it together. Throws as the
/// constructor of JointDriver does.
std::vector<std::unique_ptr<CommunicationLane>> make_joint_lanes(
    std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling);

}  // namespace ddproxy
