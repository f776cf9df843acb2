// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/step/step_graph.hpp"

namespace ddproxy::bench {

/// The operands of a loop of MPI calls without ddproxy.
struct PlainMessage {
  float* values;         ///< [x]
  float* part;           ///< [x/n] result of a reduce-scatter over n ranks
  std::size_t elements;  ///< x, a multiple of the number of ranks
  std::size_t piece;     ///< most elements of one call of an all-reduce or a broadcast
  MPI_Comm communicator;
};

/// Carries out an all-reduce, a reduce-scatter, an all-gather or a broadcast from rank 0. Makes the same
/// calls as ddproxy: MPI_Allreduce and the other blocking collectives, or MPI_Iallreduce and the other
/// nonblocking collectives with MPI_Wait. A reduce-scatter or an all-gather is a single call, because the parts
/// of the ranks would not lie behind each other if it were cut. The others are cut into pieces.
void plain_collective(model::Verb verb, bool blocking, PlainMessage const& message);

}  // namespace ddproxy::bench
