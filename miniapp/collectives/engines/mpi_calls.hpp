// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "model/step/step_graph.hpp"

namespace ddproxy {

/// What one call of MPI needs to know.
struct MpiMessage {
  void* send;     ///< MPI_IN_PLACE where `receive` has it; not used by broadcast and receive
  void* receive;  ///< not used by send
  int count;      ///< elements; of one part, for reduce_scatter and all_gather
  MPI_Datatype type;
  MPI_Op operation;
  int root_or_peer;
  int tag;  ///< of a send or a receive
  MPI_Comm communicator;
};

/// Calls MPI's blocking function for this verb: MPI_Allreduce, MPI_Reduce_scatter_block, MPI_Allgather,
/// MPI_Bcast, MPI_Send or MPI_Recv. Throws as check_mpi() does.
void call_blocking(model::Verb verb, MpiMessage const& message);

/// Calls the nonblocking function, MPI_Iallreduce and so on, and returns its request.
MPI_Request call_nonblocking(model::Verb verb, MpiMessage const& message);

}  // namespace ddproxy
