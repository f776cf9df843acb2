// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Returns the bytes of memory that this process can still allocate: the available memory of the machine or
/// what the limits of its control groups leave, whichever is less. Infinite if neither is known.
double available_memory();

/// Returns the bytes that the control groups of this process leave (versions 1 and 2): the least value of
/// limit - use over all groups on the path from `root` to the group of this process. Cached file pages do not
/// count as used. Infinite if there is no limit. `list`: the file that names the groups of this process.
double control_group_memory(std::filesystem::path const& root = "/sys/fs/cgroup",
                            std::filesystem::path const& list = "/proc/self/cgroup");

/// Returns the largest resident size of this process so far, in bytes.
double peak_memory();

/// Throws CollectiveError (exit code 4) on all ranks if the ranks of some node together need more memory than
/// it has available. `need`: bytes of each rank. `more`: bytes that only this rank needs, in addition.
/// Collective.
void require_memory(Runtime const& runtime, double need, double more = 0);

/// Throws CollectiveError (exit code 4) on all ranks if the ranks on some device together need more memory
/// than the device has free. `need`: bytes of each rank. `free`: free bytes of this rank's device, read
/// before any rank allocated memory. If little memory would be left, rank 0 prints a warning for the first
/// rank concerned. Collective.
void require_device_memory(Runtime const& runtime, double need, double free);

}  // namespace ddproxy
