// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/plain_collectives.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/errors/errors.hpp"

namespace ddproxy::bench {
namespace {

// Runs one blocking collective of `count` elements. For a verb with parts, `count` is the number of elements
// of one part.
void call(model::Verb verb, float* values, float* part, int count, MPI_Comm comm) {
  using model::Verb;
  if (verb == Verb::all_reduce)
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_FLOAT, MPI_SUM, comm));
  else if (verb == Verb::reduce_scatter)
    check_mpi(MPI_Reduce_scatter_block(values, part, count, MPI_FLOAT, MPI_SUM, comm));
  else if (verb == Verb::all_gather)
    check_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, values, count, MPI_FLOAT, comm));
  else if (verb == Verb::broadcast)
    check_mpi(MPI_Bcast(values, count, MPI_FLOAT, 0, comm));
  else
    throw std::logic_error("no loop of this verb");
}

void start_and_wait(model::Verb verb, float* values, float* part, int count, MPI_Comm comm) {
  using model::Verb;
  MPI_Request request = MPI_REQUEST_NULL;
  if (verb == Verb::all_reduce)
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_FLOAT, MPI_SUM, comm, &request));
  else if (verb == Verb::reduce_scatter)
    check_mpi(MPI_Ireduce_scatter_block(values, part, count, MPI_FLOAT, MPI_SUM, comm, &request));
  else if (verb == Verb::all_gather)
    check_mpi(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_FLOAT, values, count, MPI_FLOAT, comm, &request));
  else if (verb == Verb::broadcast)
    check_mpi(MPI_Ibcast(values, count, MPI_FLOAT, 0, comm, &request));
  else
    throw std::logic_error("no loop of this verb");
  check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

}  // namespace

void plain_collective(model::Verb verb, bool blocking, PlainMessage const& message) {
  int ranks = 1;
  check_mpi(MPI_Comm_size(message.communicator, &ranks));
  const bool has_parts = verb == model::Verb::reduce_scatter || verb == model::Verb::all_gather;
  const std::size_t parts = has_parts ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t piece = has_parts ? message.elements : message.piece;
  for (std::size_t at = 0; at < message.elements; at += piece) {
    const int count = static_cast<int>(std::min(piece, message.elements - at) / parts);
    (blocking ? call : start_and_wait)(verb, message.values + at, message.part + at / parts, count,
                                       message.communicator);
  }
}

}  // namespace ddproxy::bench
