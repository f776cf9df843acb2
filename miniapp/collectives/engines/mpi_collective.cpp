// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_collective.hpp"

#include "miniapp/errors/errors.hpp"

namespace ddproxy {

void MpiCollective::begin(CollectiveCall const& call, bool blocking, int tag) {
  pieces_ = wire_.cut(call);
  piece_ = 0;
  blocking_ = blocking;
  tag_ = tag;
  if (!blocking_) start_piece();
}

MpiMessage MpiCollective::pack_piece() {
  MpiMessage message = wire_.pack(pieces_, piece_, memory_);
  message.communicator = communicator_;
  message.tag = tag_;
  elements_[pieces_.call().verb] += static_cast<std::int64_t>(pieces_.elements(piece_));
  return message;
}

void MpiCollective::start_piece() {
  const MpiMessage message = pack_piece();
  exchanging_ = wire_.exchanges(pieces_, piece_);
  if (exchanging_)
    wire_.begin_exchange(message, exchange_);
  else
    request_ = call_nonblocking(pieces_.call().verb, message);
}

void MpiCollective::wait_for_piece() {
  const MpiMessage message = pack_piece();
  if (!wire_.exchanges(pieces_, piece_)) return call_blocking(pieces_.call().verb, message);
  wire_.begin_exchange(message, exchange_);
  exchange_.wait();
}

bool MpiCollective::test_piece() {
  if (exchanging_) return exchange_.test();
  int complete = 0;
  check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE));
  return complete;
}

void MpiCollective::finish_piece() {
  wire_.unpack(pieces_, piece_, memory_);
  ++piece_;
}

bool MpiCollective::test() {
  if (piece_ == pieces_.count()) return true;
  if (blocking_)
    wait_for_piece();
  else if (!test_piece())
    return false;
  finish_piece();
  const bool over = piece_ == pieces_.count();
  if (!over && !blocking_) start_piece();
  return over;
}

}  // namespace ddproxy
