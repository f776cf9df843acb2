// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_calls.hpp"

#include <array>

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

struct MpiFunctions {
  int (*blocking)(MpiMessage const&);
  int (*nonblocking)(MpiMessage const&, MPI_Request*);
};

// With MPI_IN_PLACE, MPI_Allgather ignores the count and the type of the send side. So they can be given in
// both cases.
constexpr std::array<MpiFunctions, 6> functions{{
    // all_reduce
    {[](MpiMessage const& m) {
       return MPI_Allreduce(m.send, m.receive, m.count, m.type, m.operation, m.communicator);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Iallreduce(m.send, m.receive, m.count, m.type, m.operation, m.communicator, request);
     }},
    // reduce_scatter
    {[](MpiMessage const& m) {
       return MPI_Reduce_scatter_block(m.send, m.receive, m.count, m.type, m.operation, m.communicator);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Ireduce_scatter_block(m.send, m.receive, m.count, m.type, m.operation, m.communicator,
                                        request);
     }},
    // all_gather
    {[](MpiMessage const& m) {
       return MPI_Allgather(m.send, m.count, m.type, m.receive, m.count, m.type, m.communicator);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Iallgather(m.send, m.count, m.type, m.receive, m.count, m.type, m.communicator, request);
     }},
    // broadcast
    {[](MpiMessage const& m) {
       return MPI_Bcast(m.receive, m.count, m.type, m.root_or_peer, m.communicator);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Ibcast(m.receive, m.count, m.type, m.root_or_peer, m.communicator, request);
     }},
    // send
    {[](MpiMessage const& m) {
       return MPI_Send(m.send, m.count, m.type, m.root_or_peer, m.tag, m.communicator);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Isend(m.send, m.count, m.type, m.root_or_peer, m.tag, m.communicator, request);
     }},
    // receive
    {[](MpiMessage const& m) {
       return MPI_Recv(m.receive, m.count, m.type, m.root_or_peer, m.tag, m.communicator, MPI_STATUS_IGNORE);
     },
     [](MpiMessage const& m, MPI_Request* request) {
       return MPI_Irecv(m.receive, m.count, m.type, m.root_or_peer, m.tag, m.communicator, request);
     }},
}};

MpiFunctions const& functions_of(model::Verb verb) {
  return functions[static_cast<std::size_t>(verb)];
}

}  // namespace

void call_blocking(model::Verb verb, MpiMessage const& message) {
  check_mpi(functions_of(verb).blocking(message));
}

MPI_Request call_nonblocking(model::Verb verb, MpiMessage const& message) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(functions_of(verb).nonblocking(message, &request));
  return request;
}

}  // namespace ddproxy
