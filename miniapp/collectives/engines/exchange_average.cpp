// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/exchange_average.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {

bool exchange_is_faster([[maybe_unused]] int count) {
#ifdef MPICH_VERSION
  return count > 8 * 1024 / static_cast<int>(sizeof(float));
#else
  return false;
#endif
}

void AverageExchange::begin(float* values, int count, float* scratch, MPI_Comm communicator) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(communicator, &rank));
  const int half = count / 2;
  const Part halves[2] = {{values, half}, {values + half, count - half}};
  peer_ = 1 - rank;
  own_ = halves[rank];
  other_ = halves[peer_];
  scratch_ = scratch;
  communicator_ = communicator;
  averaged_ = false;
  exchange(other_, {scratch_, own_.count});
}

void AverageExchange::exchange(Part send, Part receive) {
  constexpr int tag = 0;
  check_mpi(MPI_Irecv(receive.values, receive.count, MPI_FLOAT, peer_, tag, communicator_, &requests_[0]));
  check_mpi(MPI_Isend(send.values, send.count, MPI_FLOAT, peer_, tag, communicator_, &requests_[1]));
}

// Goes on after the messages in flight have arrived. Returns whether the average is complete.
bool AverageExchange::go_on() {
  if (averaged_) return true;
  float* __restrict to = own_.values;
  float const* __restrict from = scratch_;
  for (int i = 0; i < own_.count; ++i) to[i] = (to[i] + from[i]) * 0.5F;
  averaged_ = true;
  exchange(own_, other_);
  return false;
}

// MPI_ERR_IN_STATUS does not say what went wrong. The status of the failed message does.
void AverageExchange::check(int status) const {
  if (status == MPI_ERR_IN_STATUS)
    for (MPI_Status const& one : statuses_)
      if (one.MPI_ERROR != MPI_ERR_PENDING) check_mpi(one.MPI_ERROR);
  check_mpi(status);
}

bool AverageExchange::test() {
  int complete = 0;
  check(MPI_Testall(2, requests_, &complete, statuses_));
  return complete && go_on();
}

void AverageExchange::wait() {
  do check(MPI_Waitall(2, requests_, statuses_));
  while (!go_on());
}

bool AverageExchange::is_open() const {
  return requests_[0] != MPI_REQUEST_NULL || requests_[1] != MPI_REQUEST_NULL;
}

}  // namespace ddproxy
