// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/plain_nccl.hpp"

#include <stdexcept>
#include <string>

#include "miniapp/errors/errors.hpp"

namespace ddproxy::bench {
namespace {

void check_nccl(ncclResult_t status) {
  if (status != ncclSuccess)
    throw std::runtime_error(std::string("the plain loop of NCCL: ") + ncclGetErrorString(status));
}

}  // namespace

PlainNccl::PlainNccl(MPI_Comm communicator, float* memory) : memory_(memory) {
  check_mpi(MPI_Comm_rank(communicator, &rank_));
  check_mpi(MPI_Comm_size(communicator, &ranks_));
  ncclUniqueId id{};
  if (rank_ == 0) check_nccl(ncclGetUniqueId(&id));
  check_mpi(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, communicator));
  check_nccl(ncclCommInitRank(&communicator_, ranks_, id, rank_));
}

PlainNccl::~PlainNccl() {
  ncclCommDestroy(communicator_);
}

void PlainNccl::enqueue(CollectiveCall const& call) {
  using model::Verb;
  const auto [offset, elements] = full_slice(call);
  float* const values = memory_ + offset;
  const std::size_t part = elements / static_cast<std::size_t>(ranks_);
  float* const own = values + static_cast<std::size_t>(rank_) * part;
  gpu::Stream const stream = stream_.get();
  if (call.verb == Verb::all_reduce)
    check_nccl(ncclAllReduce(values, values, elements, ncclFloat, ncclAvg, communicator_, stream));
  else if (call.verb == Verb::reduce_scatter)
    check_nccl(ncclReduceScatter(values, own, part, ncclFloat, ncclAvg, communicator_, stream));
  else if (call.verb == Verb::all_gather)
    check_nccl(ncclAllGather(own, values, part, ncclFloat, communicator_, stream));
  else if (call.verb == Verb::broadcast)
    check_nccl(ncclBroadcast(values, values, elements, ncclFloat, 0, communicator_, stream));
  else
    throw std::logic_error("no loop of this verb");
}

void PlainNccl::synchronise() {
  gpu::check(DDPROXY_GPU(StreamSynchronize)(stream_.get()));
}

}  // namespace ddproxy::bench
