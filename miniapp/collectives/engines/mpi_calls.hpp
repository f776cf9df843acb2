// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "model/step/step_graph.hpp"

namespace ddproxy {

/// The arguments of one MPI call. The buffers are not owned. Not every kind of collective uses all members.
struct MpiMessage {
  void* send;     ///< MPI_IN_PLACE if the data are in `receive`; not used by broadcast and receive
  void* receive;  ///< not used by send
  int count;      ///< number of elements; for reduce_scatter and all_gather, of one part
  MPI_Datatype type;
  MPI_Op operation;  ///< used by all_reduce and reduce_scatter
  int root_or_peer;  ///< used by broadcast, send and receive
  int tag;           ///< used by send and receive
  MPI_Comm communicator;
};

/// Calls MPI's blocking function for this verb, the kind of the collective: MPI_Allreduce,
/// MPI_Reduce_scatter_block, MPI_Allgather, MPI_Bcast, MPI_Send or MPI_Recv. Throws as check_mpi()
/// (miniapp/errors/errors.hpp) does.
void call_blocking(model::Verb verb, MpiMessage const& message);

/// Calls MPI's nonblocking function for this verb, for example MPI_Iallreduce, and returns its request. The
/// buffers must stay valid until the request is complete. Throws as check_mpi() does.
MPI_Request call_nonblocking(model::Verb verb, MpiMessage const& message);

}  // namespace ddproxy
