// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace ddproxy::bench {

/// Returns the seconds that the host has spent in ncclAllReduce since the last call of this function. In a
/// program that links nccl_stopwatch.cpp, ncclAllReduce is a function that measures this time and calls NCCL.
/// It reads the clock twice, which adds about 50 ns to each call.
double take_nccl_seconds();

}  // namespace ddproxy::bench
