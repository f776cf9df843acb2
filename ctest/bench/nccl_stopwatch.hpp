// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::bench {

/// Returns the seconds that the host has spent in ncclAllReduce since the last call of this function. A
/// program that links nccl_stopwatch.cpp calls NCCL through a function that adds them up. Two readings of the
/// clock, about 50 ns, are added to each call.
double take_nccl_seconds();

}  // namespace ddproxy::bench
