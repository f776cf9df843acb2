// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace ddproxy {

/// Returns whether two ranks should average a message of this many floats with exchange_average() instead of
/// MPI_Allreduce and an operation of their own. That is so from 64 KiB on, if the MPI library is MPICH or is
/// derived from it. On two cores (docs/measurements/collectives.md), exchange_average() takes 0.58 to 0.96 of
/// the time of MPICH's MPI_Allreduce with MPI_SUM, and the operation takes up to 1.29 of it. With Open MPI
/// both take the same time.
bool exchange_is_faster(int count);

/// Assigns the average over the two ranks of `communicator` to values[0 .. count), on both ranks. Blocks like
/// MPI_Allreduce; both ranks must call it with the same `count`. Each rank averages one half and sends the
/// result to the other rank, so both ranks get the same numbers to the last bit, the same as with MPI_SUM and
/// a division by two. `scratch` [(count + 1) / 2] is overwritten. Throws as check_mpi().
void exchange_average(float* values, int count, float* scratch, MPI_Comm communicator);

}  // namespace ddproxy
