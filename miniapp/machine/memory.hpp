// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/input/host_memory.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// Returns the largest resident memory of this process so far, in bytes.
double peak_memory();

/// Throws CollectiveError (exit code 4) on all ranks if the ranks of some node together need more memory than
/// available_memory() returns there. Each rank of the node needs `need` bytes. This rank needs `more` bytes
/// in addition. Collective.
void require_memory(Runtime const& runtime, double need, double more = 0);

/// Throws CollectiveError (exit code 4) on all ranks if the ranks on some device together need more memory
/// than the device has free. Each rank needs `need` bytes. This rank's device had `free` bytes of free memory
/// before any rank allocated memory there. If little memory would be left on some devices, prints the warning
/// (doubt_about_device_memory()) of the first rank with such a device. Collective.
void require_device_memory(Runtime const& runtime, double need, double free);

}  // namespace ddproxy
