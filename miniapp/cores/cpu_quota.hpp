// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy {

/// Returns the CPU quota of the control groups of this process: the number of cores that all processes of the
/// group together may use on average. Container runtimes (`docker --cpus=2`) and Kubernetes (a CPU limit) set
/// it. A process that has used its share of a period of time, 100 ms by default, is stopped until the next
/// period. Returns the smallest quota of all groups on the path from the top group to the group of this
/// process, and infinity if there is none. `root` and `list` are those of least_of_groups(). Handles versions
/// 1 and 2 of control groups.
double cpu_quota(std::filesystem::path const& root = "/sys/fs/cgroup",
                 std::filesystem::path const& list = "/proc/self/cgroup");

/// Returns the number of whole cores of a quota, at least 1. Returns the largest int if the quota is
/// infinite.
int whole_cores(double quota);

}  // namespace ddproxy
