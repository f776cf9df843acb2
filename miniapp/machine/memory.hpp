// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Returns the bytes of memory that this process can still allocate: the smaller of the available memory of
/// the machine and control_group_memory(). Returns infinity if both are unknown.
double available_memory();

/// Returns the bytes that the limits of the control groups of this process leave: the smallest difference
/// between limit and use over all groups on the path from `root` to the group of this process. Cached file
/// pages that the kernel can free do not count as used. Returns infinity if there is no limit. `list` is the
/// file that names the groups of this process. Handles versions 1 and 2 of control groups.
double control_group_memory(std::filesystem::path const& root = "/sys/fs/cgroup",
                            std::filesystem::path const& list = "/proc/self/cgroup");

/// Returns the largest resident memory of this process so far, in bytes.
double peak_memory();

/// Throws CollectiveError (exit code 4) on all ranks if the ranks of some node together need more memory than
/// available_memory() there. Each rank of the node needs `need` bytes. This rank needs `more` bytes in
/// addition. Collective.
void require_memory(Runtime const& runtime, double need, double more = 0);

/// Throws CollectiveError (exit code 4) on all ranks if the ranks on some device together need more memory
/// than the device has free. Each rank needs `need` bytes. This rank's device had `free` bytes of free memory
/// before any rank allocated memory there. If little memory would be left, prints the warning of the first
/// rank for which this is so. Collective.
void require_device_memory(Runtime const& runtime, double need, double free);

}  // namespace ddproxy
