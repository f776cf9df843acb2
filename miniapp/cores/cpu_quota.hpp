// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy {

/// Returns the CPU quota of this process, in cores. The quota of a control group is the number of cores that
/// all processes of the group together may use on average. Container runtimes (`docker --cpus=2`) and
/// Kubernetes (a CPU limit) set it. When the processes have used the quota of a period (100 ms by default),
/// the kernel stops them until the next period. The result is the smallest quota of all groups on the path
/// from the top group to the group of this process. It is infinity if none of these groups has a quota.
/// `root` and `list` are the arguments of least_of_groups() (miniapp/input/control_groups.hpp). Handles
/// versions 1 and 2 of control groups.
double cpu_quota(std::filesystem::path const& root = "/sys/fs/cgroup",
                 std::filesystem::path const& list = "/proc/self/cgroup");

/// Returns the number of whole cores of a quota, at least 1. Returns the largest int if the quota is
/// infinite.
int whole_cores(double quota);

}  // namespace ddproxy
