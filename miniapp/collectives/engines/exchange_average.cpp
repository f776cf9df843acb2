// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/exchange_average.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

struct Part {
  float* values;
  int count;
};

void exchange(Part send, Part receive, int peer, MPI_Comm communicator) {
  constexpr int tag = 0;
  check_mpi(MPI_Sendrecv(send.values, send.count, MPI_FLOAT, peer, tag, receive.values, receive.count,
                         MPI_FLOAT, peer, tag, communicator, MPI_STATUS_IGNORE));
}

}  // namespace

bool exchange_is_faster([[maybe_unused]] int count) {
#ifdef MPICH_VERSION
  return count > 8 * 1024 / static_cast<int>(sizeof(float));
#else
  return false;
#endif
}

void exchange_average(float* values, int count, float* scratch, MPI_Comm communicator) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank));
  const int half = count / 2, peer = 1 - rank;
  const Part halves[2] = {{values, half}, {values + half, count - half}};
  const Part own = halves[rank], other = halves[peer];
  exchange(other, {scratch, own.count}, peer, communicator);
  float* __restrict to = own.values;
  float const* __restrict from = scratch;
  for (int i = 0; i < own.count; ++i) to[i] = (to[i] + from[i]) * 0.5F;
  exchange(own, other, peer, communicator);
}

}  // namespace ddproxy
