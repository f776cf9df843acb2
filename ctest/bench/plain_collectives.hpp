// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/step/step_graph.hpp"

namespace ddproxy::bench {

/// What a loop of MPI calls without ddproxy works on.
struct PlainMessage {
  float* values;         ///< x elements
  float* part;           ///< a reduce-scatter's result, x/n elements
  std::size_t elements;  ///< x, a multiple of the number of ranks
  std::size_t piece;     ///< elements of a call at most, a multiple of the number of ranks
  MPI_Comm communicator;
};

/// Carries out an all-reduce, a reduce-scatter, an all-gather or a broadcast from rank 0 with the calls that
/// ddproxy makes: MPI_Allreduce and so on, or MPI_Iallreduce and MPI_Wait. An all-gather is one call, the
/// others go in pieces.
void plain_collective(model::Verb verb, bool blocking, PlainMessage const& message);

}  // namespace ddproxy::bench
