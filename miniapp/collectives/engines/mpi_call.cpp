// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_call.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {

void MpiCall::begin(CollectiveCall const& call, bool blocking, int tag) {
  pieces_ = wire_.cut(call);
  piece_ = 0;
  blocking_ = blocking;
  tag_ = tag;
  if (!blocking_) start_piece();
}

MpiMessage MpiCall::pack_piece() {
  MpiMessage message = wire_.pack(pieces_, piece_, memory_);
  message.communicator = communicator_;
  message.tag = tag_;
  elements_[pieces_.call().verb] += static_cast<std::int64_t>(pieces_.elements(piece_));
  return message;
}

void MpiCall::start_piece() {
  request_ = call_nonblocking(pieces_.call().verb, pack_piece());
}

void MpiCall::wait_for_piece() {
  const MpiMessage message = pack_piece();
  if (wire_.exchanges(pieces_, piece_))
    wire_.exchange(message);
  else
    call_blocking(pieces_.call().verb, message);
}

void MpiCall::finish_piece() {
  wire_.unpack(pieces_, piece_, memory_);
  ++piece_;
}

bool MpiCall::test() {
  if (piece_ == pieces_.count()) return true;
  int complete = 1;
  if (blocking_)
    wait_for_piece();
  else
    check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE));
  if (!complete) return false;
  finish_piece();
  const bool over = piece_ == pieces_.count();
  if (!over && !blocking_) start_piece();
  return over;
}

}  // namespace ddproxy
