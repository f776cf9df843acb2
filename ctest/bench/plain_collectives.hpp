// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>

#include "model/step/step_graph.hpp"

namespace ddproxy::bench {

/// The operands of a loop of MPI calls without ddproxy.
struct PlainMessage {
  model::Verb verb;
  float* values;         ///< [x]
  float* part;           ///< [x/n] result of a reduce-scatter over n ranks
  std::size_t elements;  ///< x; for a verb with parts, a multiple of the number of ranks
  std::size_t piece;     ///< most elements of one MPI call, except of a reduce-scatter and an all-gather
  int peer;              ///< the other rank of a send or a receive
  MPI_Comm communicator;
};

/// Carries out an all-reduce, a reduce-scatter, an all-gather, a broadcast from rank 0, a send or a receive.
/// Makes the same MPI calls as ddproxy: MPI_Allreduce and the other blocking functions, or MPI_Iallreduce and
/// the other nonblocking functions with MPI_Wait. A reduce-scatter or an all-gather is a single MPI call: if
/// it were cut, the part of a rank would not be contiguous. The others are cut into pieces.
void plain_collective(bool blocking, PlainMessage const& message);

/// Carries out two messages of the same size at the same time: a send and a receive, or two collectives on
/// different communicators. For each piece it calls the two nonblocking functions, in the order of the
/// arguments, and MPI_Waitall. The verbs must be such that both messages are cut into pieces, or neither.
void plain_pair(PlainMessage const& first, PlainMessage const& second);

}  // namespace ddproxy::bench
