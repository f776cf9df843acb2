// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/mpi_engine.hpp"

#include <fmt/format.h>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

GroupPlace place_in(MPI_Comm communicator) {
  GroupPlace place;
  check_mpi(MPI_Comm_rank(communicator, &place.rank));
  check_mpi(MPI_Comm_size(communicator, &place.ranks));
  return place;
}

}  // namespace

MpiEngine::MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
                     WireFormat wire, CallTable calls, Scale scale)
    : arena_(arena),
      calls_(std::move(calls)),
      on_device_(scale != nullptr),
      timeout_s_(timeout_s),
      place_(place_in(communicator)),
      wire_(wire, piece_elements, place_, scale) {
  check_mpi(MPI_Comm_dup(communicator, &communicator_));
  check_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
}

MpiEngine::~MpiEngine() {
  if (request_ == MPI_REQUEST_NULL) MPI_Comm_free(&communicator_);
}

void MpiEngine::begin(CollectiveCall const& call, Completion ready) {
  call_ = {call, Clock::now(), {}, ready.when};
  pieces_ = wire_.cut(call);
  piece_ = 0;
  blocking_ = calls_.blocking(static_cast<std::int64_t>(full_slice(call).count) * wire_.element_bytes());
  if (!blocking_) start_piece();
}

MpiMessage MpiEngine::pack_piece() {
  MpiMessage message = wire_.pack(pieces_, piece_, arena_);
  message.communicator = communicator_;
  elements_[call_.call.verb] += static_cast<std::int64_t>(pieces_.elements(piece_));
  return message;
}

void MpiEngine::start_piece() {
  request_ = call_nonblocking(call_.call.verb, pack_piece());
}

void MpiEngine::finish_piece() {
  wire_.unpack(pieces_, piece_, arena_);
  ++piece_;
}

bool MpiEngine::test() {
  int complete = 1;
  if (blocking_)
    call_blocking(call_.call.verb, pack_piece());
  else
    check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE));
  if (!complete) return false;
  finish_piece();
  const bool done = piece_ == pieces_.count();
  if (done) call_.end = Clock::now();
  if (!done && !blocking_) start_piece();
  return done;
}

void MpiEngine::wait(std::size_t call) {
  Backoff backoff;
  while (!test())
    if (!blocking_) {
      check_time_limit(call_, call, place_.rank, timeout_s_);
      backoff();
    }
}

double MpiEngine::unwatched_limit_s() const {
  return calls_.ever_blocking() ? timeout_s_ : 0;
}

std::string MpiEngine::description() const {
  return fmt::format("mpi, {} buffers, {}{}", on_device_ ? "device" : "host", wire_.name(),
                     calls_.ever_blocking() ? ", " + calls_.description() : "");
}

}  // namespace ddproxy
