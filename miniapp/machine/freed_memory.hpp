// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace ddproxy {

/// Makes glibc keep freed memory for the next allocation, and returns whether it does.
///
/// Problem: Open MPI allocates a temporary buffer of up to the size of the message in each reduction, and
/// frees it. glibc has two limits, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD (mallopt(3)), by default 128 KiB
/// each. It gives freed memory above these limits back to the operating system, which then has to map and
/// clear each page again in the next call. Reductions of 256 KiB to 4 MiB then take 1.3 to 4 times as long
/// (docs/measurements/collectives.md). glibc raises the two limits by itself when larger blocks are freed. So
/// the time of a reduction would depend on what the process, or one of its threads, has freed before.
///
/// This function sets M_MMAP_THRESHOLD to 32 MiB and M_TRIM_THRESHOLD to 64 MiB. These are the highest values
/// that glibc chooses by itself, after a block of 32 MiB was freed. They hold for the heaps of all threads.
/// Blocks above 32 MiB are still given back. By default a reduction runs in pieces of 16 MiB ([allreduce]
/// piece_mib), so its temporary buffers are smaller.
///
/// Cost: a heap keeps up to 64 MiB that are not in use. The temporary buffers of the largest piece are in the
/// prediction of memory (miniapp/input/memory_need.hpp).
///
/// Call it before MPI starts. Does nothing and returns false without glibc. Does the same if the user has set
/// MALLOC_MMAP_THRESHOLD_, MALLOC_MMAP_MAX_, MALLOC_TRIM_THRESHOLD_, MALLOC_TOP_PAD_, or a glibc.malloc entry
/// of GLIBC_TUNABLES. `variable` returns the value of an environment variable, or null.
bool keep_freed_memory(std::function<char const*(char const*)> const& variable);

}  // namespace ddproxy
