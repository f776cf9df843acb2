// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

// The memory of the machine that this process runs on. Prediction and run both read it.
namespace ddproxy {

/// Returns the bytes of memory that a process could use here if no other program ran: the smaller of the
/// memory of the machine and the limits of the control groups of this process. Returns infinity if both are
/// unknown.
double total_memory();

/// Returns the bytes of memory that this process can still allocate: the smaller of the available memory of
/// the machine and control_group_memory(). Returns infinity if both are unknown.
double available_memory();

/// Returns the bytes that this process can still allocate before it reaches a limit of its control groups.
/// This is the smallest difference between limit and use over all groups on the path from `root` to the group
/// of this process. Cached file pages that the kernel can free do not count as used. Returns infinity if
/// there is no limit. `list` is the file that names the groups of this process. Handles versions 1 and 2 of
/// control groups.
double control_group_memory(std::filesystem::path const& root = "/sys/fs/cgroup",
                            std::filesystem::path const& list = "/proc/self/cgroup");

/// Returns the smallest limit, in bytes, of the same control groups. Returns infinity if there is no limit.
double control_group_limit(std::filesystem::path const& root = "/sys/fs/cgroup",
                           std::filesystem::path const& list = "/proc/self/cgroup");

}  // namespace ddproxy
