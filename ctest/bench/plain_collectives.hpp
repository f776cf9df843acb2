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
  std::size_t elements;  ///< x; for a verb with parts, a multiple of the number of ranks
  std::size_t piece;     ///< most elements of one call of an all-reduce or a broadcast
  MPI_Comm communicator;
};

/// Carries out an all-reduce, a reduce-scatter, an all-gather or a broadcast from rank 0. Calls the functions
/// of MPI that ddproxy calls: MPI_Allreduce and the other blocking ones, or MPI_Iallreduce and the other
/// nonblocking ones with MPI_Wait. All-reduces and broadcasts are cut into pieces. A reduce-scatter or an
/// all-gather is a single call: if it were cut, the part of a rank would not be contiguous.
void plain_collective(model::Verb verb, bool blocking, PlainMessage const& message);

}  // namespace ddproxy::bench
