// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/plain_collectives.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "miniapp/errors/errors.hpp"

namespace ddproxy::bench {
namespace {

using model::Verb;

/// The arguments of one MPI call.
struct Arguments {
  float* values;
  float* part;
  int count;  // of all elements, or of one part if the verb divides the elements between the ranks
  int peer;
  MPI_Comm communicator;
};

bool has_parts(PlainMessage const& message) {
  return message.verb == Verb::reduce_scatter || message.verb == Verb::all_gather;
}

std::size_t parts_of(PlainMessage const& message) {
  int ranks = 1;
  check_mpi(MPI_Comm_size(message.communicator, &ranks));
  return has_parts(message) ? static_cast<std::size_t>(ranks) : 1;
}

std::size_t elements_of_piece(PlainMessage const& message) {
  return has_parts(message) ? message.elements : message.piece;
}

Arguments piece_of(PlainMessage const& message, std::size_t at, std::size_t parts) {
  const std::size_t elements = std::min(elements_of_piece(message), message.elements - at);
  return {message.values + at, message.part + at / parts, static_cast<int>(elements / parts), message.peer,
          message.communicator};
}

void call(Verb verb, Arguments const& a) {
  if (verb == Verb::all_reduce)
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, a.values, a.count, MPI_FLOAT, MPI_SUM, a.communicator));
  else if (verb == Verb::reduce_scatter)
    check_mpi(MPI_Reduce_scatter_block(a.values, a.part, a.count, MPI_FLOAT, MPI_SUM, a.communicator));
  else if (verb == Verb::all_gather)
    check_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, a.values, a.count, MPI_FLOAT, a.communicator));
  else if (verb == Verb::broadcast)
    check_mpi(MPI_Bcast(a.values, a.count, MPI_FLOAT, 0, a.communicator));
  else if (verb == Verb::send)
    check_mpi(MPI_Send(a.values, a.count, MPI_FLOAT, a.peer, 0, a.communicator));
  else if (verb == Verb::receive)
    check_mpi(MPI_Recv(a.values, a.count, MPI_FLOAT, a.peer, 0, a.communicator, MPI_STATUS_IGNORE));
  else
    throw std::logic_error("no loop of this verb");
}

void start(Verb verb, Arguments const& a, MPI_Request* to) {
  if (verb == Verb::all_reduce)
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, a.values, a.count, MPI_FLOAT, MPI_SUM, a.communicator, to));
  else if (verb == Verb::reduce_scatter)
    check_mpi(MPI_Ireduce_scatter_block(a.values, a.part, a.count, MPI_FLOAT, MPI_SUM, a.communicator, to));
  else if (verb == Verb::all_gather)
    check_mpi(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_FLOAT, a.values, a.count, MPI_FLOAT, a.communicator, to));
  else if (verb == Verb::broadcast)
    check_mpi(MPI_Ibcast(a.values, a.count, MPI_FLOAT, 0, a.communicator, to));
  else if (verb == Verb::send)
    check_mpi(MPI_Isend(a.values, a.count, MPI_FLOAT, a.peer, 0, a.communicator, to));
  else if (verb == Verb::receive)
    check_mpi(MPI_Irecv(a.values, a.count, MPI_FLOAT, a.peer, 0, a.communicator, to));
  else
    throw std::logic_error("no loop of this verb");
}

void start_and_wait(Verb verb, Arguments const& arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  start(verb, arguments, &request);
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

}  // namespace

void plain_collective(bool blocking, PlainMessage const& message) {
  const std::size_t parts = parts_of(message);
  for (std::size_t at = 0; at < message.elements; at += elements_of_piece(message))
    (blocking ? call : start_and_wait)(message.verb, piece_of(message, at, parts));
}

void plain_pair(PlainMessage const& first, PlainMessage const& second) {
  const std::size_t parts[] = {parts_of(first), parts_of(second)};
  for (std::size_t at = 0; at < first.elements; at += elements_of_piece(first)) {
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    start(first.verb, piece_of(first, at, parts[0]), &requests[0]);
    start(second.verb, piece_of(second, at, parts[1]), &requests[1]);
    check_mpi(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
  }
}

}  // namespace ddproxy::bench
