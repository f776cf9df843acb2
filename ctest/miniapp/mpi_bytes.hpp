// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ctest/miniapp/counting_engine.hpp"

namespace ddproxy {

/// Forgets the calls of MPI that were counted so far.
void forget_mpi_bytes();

/// Returns the calls of MPI since forget_mpi_bytes(), blocking and nonblocking ones, by verb. mpi_bytes.cpp
/// intercepts them with MPI's profiling interface (PMPI). Calls that the test's Runtime makes count, too.
/// Bytes are those of the full size x. In a reduce-scatter and an all-gather the count argument of MPI is the
/// part of one rank. So the bytes of these verbs are multiplied by `ranks`, the size of the communicator.
/// Call mpi_bytes() while no call is in flight.
CountedByVerb mpi_bytes(int ranks);

}  // namespace ddproxy
