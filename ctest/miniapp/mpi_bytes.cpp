// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/miniapp/mpi_bytes.hpp"

#include <mpi.h>

#include <mutex>

namespace {

using ddproxy::model::Verb;

std::mutex mutex;
ddproxy::CountedByVerb counted;

void count(Verb verb, int elements, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  const std::scoped_lock lock(mutex);
  ++counted[verb].calls;
  counted[verb].bytes += std::int64_t{elements} * bytes;
}

}  // namespace

int MPI_Iallreduce(void const* send, void* receive, int elements, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm communicator, MPI_Request* request) {
  count(Verb::all_reduce, elements, type);
  return PMPI_Iallreduce(send, receive, elements, type, operation, communicator, request);
}

int MPI_Ireduce_scatter_block(void const* send, void* receive, int elements, MPI_Datatype type,
                              MPI_Op operation, MPI_Comm communicator, MPI_Request* request) {
  count(Verb::reduce_scatter, elements, type);
  return PMPI_Ireduce_scatter_block(send, receive, elements, type, operation, communicator, request);
}

int MPI_Iallgather(void const* send, int sent, MPI_Datatype send_type, void* receive, int received,
                   MPI_Datatype type, MPI_Comm communicator, MPI_Request* request) {
  count(Verb::all_gather, received, type);
  return PMPI_Iallgather(send, sent, send_type, receive, received, type, communicator, request);
}

int MPI_Ibcast(void* data, int elements, MPI_Datatype type, int root, MPI_Comm communicator,
               MPI_Request* request) {
  count(Verb::broadcast, elements, type);
  return PMPI_Ibcast(data, elements, type, root, communicator, request);
}

int MPI_Isend(void const* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  count(Verb::send, elements, type);
  return PMPI_Isend(data, elements, type, to, tag, communicator, request);
}

int MPI_Irecv(void* data, int elements, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  count(Verb::receive, elements, type);
  return PMPI_Irecv(data, elements, type, from, tag, communicator, request);
}

// ---- the blocking MPI calls

int MPI_Allreduce(void const* send, void* receive, int elements, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator) {
  count(Verb::all_reduce, elements, type);
  return PMPI_Allreduce(send, receive, elements, type, operation, communicator);
}

int MPI_Reduce_scatter_block(void const* send, void* receive, int elements, MPI_Datatype type,
                             MPI_Op operation, MPI_Comm communicator) {
  count(Verb::reduce_scatter, elements, type);
  return PMPI_Reduce_scatter_block(send, receive, elements, type, operation, communicator);
}

int MPI_Allgather(void const* send, int sent, MPI_Datatype send_type, void* receive, int received,
                  MPI_Datatype type, MPI_Comm communicator) {
  count(Verb::all_gather, received, type);
  return PMPI_Allgather(send, sent, send_type, receive, received, type, communicator);
}

int MPI_Bcast(void* data, int elements, MPI_Datatype type, int root, MPI_Comm communicator) {
  count(Verb::broadcast, elements, type);
  return PMPI_Bcast(data, elements, type, root, communicator);
}

int MPI_Send(void const* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  count(Verb::send, elements, type);
  return PMPI_Send(data, elements, type, to, tag, communicator);
}

int MPI_Recv(void* data, int elements, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
             MPI_Status* status) {
  count(Verb::receive, elements, type);
  return PMPI_Recv(data, elements, type, from, tag, communicator, status);
}

namespace ddproxy {

void forget_mpi_bytes() {
  const std::scoped_lock lock(mutex);
  counted.clear();
}

CountedByVerb mpi_bytes(int ranks) {
  const std::scoped_lock lock(mutex);
  CountedByVerb full = counted;
  for (auto& [verb, one] : full)
    if (has_parts(verb)) one.bytes *= ranks;
  return full;
}

}  // namespace ddproxy
