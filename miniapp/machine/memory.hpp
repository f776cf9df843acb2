// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Bytes of memory that this machine can still give to programs: free memory, within the limit of the control
/// group.
double available_memory();

/// Bytes that the control groups of this process (versions 1 and 2), from `root` down to its own in `list`,
/// leave: limit - use, where cached pages of files do not count as used. Infinite where there is no limit.
double control_group_memory(std::filesystem::path const& root = "/sys/fs/cgroup",
                            std::filesystem::path const& list = "/proc/self/cgroup");

/// The largest resident size of this process so far, bytes.
double peak_memory();

/// Throws CollectiveError (exit 4) where the ranks of some node together need more than it has. `need`: bytes
/// of each rank; `more`: bytes that this rank alone needs beyond them.
void require_memory(Runtime const& runtime, double need, double more = 0);

/// Throws CollectiveError (exit 4) where the ranks on some device together need more than is `free` there:
/// bytes, as this rank saw it before it allocated anything. Where that is nearly so, rank 0 warns and names
/// the first such rank.
void require_device_memory(Runtime const& runtime, double need, double free);

}  // namespace ddproxy
