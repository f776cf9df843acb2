// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "model/step/step_graph.hpp"

namespace ddproxy {

/// The arguments of one call of MPI. The buffers are not owned.
struct MpiMessage {
  void* send;     ///< MPI_IN_PLACE if the data are in `receive`; broadcast and receive do not use it
  void* receive;  ///< send does not use it
  int count;      ///< number of elements; for reduce_scatter and all_gather, of one part
  MPI_Datatype type;
  MPI_Op operation;  ///< of all_reduce and reduce_scatter
  int root_or_peer;  ///< of broadcast, send and receive
  int tag;           ///< of send and receive
  MPI_Comm communicator;
};

/// Calls MPI's blocking function for this verb: MPI_Allreduce, MPI_Reduce_scatter_block, MPI_Allgather,
/// MPI_Bcast, MPI_Send or MPI_Recv. Throws as check_mpi().
void call_blocking(model::Verb verb, MpiMessage const& message);

/// Calls MPI's nonblocking function for this verb, for example MPI_Iallreduce, and returns its request. The
/// buffers must stay valid until the request is complete. Throws as check_mpi().
MPI_Request call_nonblocking(model::Verb verb, MpiMessage const& message);

}  // namespace ddproxy
