// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ctest/bench/collective_rows.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy::bench {

/// Registers the rows `two_lanes`: an all-gather on one lane and a reduce-scatter on another lane at the same
/// time, as in a step with [shard] lanes = 2. One thread polls both lanes (JointDriver): a communication
/// thread (`thread`) or the thread that waits (`poll`). The plain loop calls MPI_Iallgather and
/// MPI_Ireduce_scatter_block on two communicators, and MPI_Waitall. The size in the name of a row is that of
/// one collective; the times are those of both together. If `own_core` is true, the communication thread has
/// a core that the waiting thread does not use. `runtime` must outlive the rows.
void register_two_lane_rows(Runtime const& runtime, Settings const& settings, bool own_core);

}  // namespace ddproxy::bench
