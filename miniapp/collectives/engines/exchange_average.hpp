// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace ddproxy {

/// Returns whether two ranks should average a message of `count` floats with exchange_average(). The
/// alternative is MPI_Allreduce with a user-defined operation that averages. The answer is yes for more than
/// 8 KiB, if the MPI library is MPICH or is derived from it. Reason, measured on two cores
/// (docs/measurements/collectives.md): with MPICH, exchange_average() takes 0.58 to 0.96 times as long as
/// MPI_Allreduce with MPI_SUM. The user-defined operation takes up to 1.55 times as long as MPI_SUM. With
/// Open MPI, exchange_average() and the user-defined operation take the same time.
bool exchange_is_faster(int count);

/// Assigns the average over the two ranks of `communicator` to values[0 .. count), on both ranks. Blocks like
/// MPI_Allreduce. Both ranks must call it with the same `count`. Each rank averages one half of the elements
/// and sends the result to the other rank. So both ranks get the same numbers to the last bit. MPI_SUM and a
/// division by two would give the same numbers, too. Overwrites `scratch` [(count + 1) / 2]. Throws as
/// check_mpi() (miniapp/errors/errors.hpp) does.
void exchange_average(float* values, int count, float* scratch, MPI_Comm communicator);

}  // namespace ddproxy
