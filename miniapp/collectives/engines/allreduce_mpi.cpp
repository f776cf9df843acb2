// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/allreduce_mpi.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

int ranks_of(MPI_Comm communicator) {
  int ranks = 1;
  check_mpi(MPI_Comm_size(communicator, &ranks));
  return ranks;
}

}  // namespace

MpiEngine::MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
                     WireFormat wire, CallTable calls, Scale scale)
    : arena_(arena),
      piece_elements_(piece_elements),
      calls_(std::move(calls)),
      on_device_(scale != nullptr),
      timeout_s_(timeout_s),
      wire_(wire, piece_elements, ranks_of(communicator), scale) {
  check_mpi(MPI_Comm_dup(communicator, &communicator_));
  check_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  check_mpi(MPI_Comm_rank(communicator_, &rank_));
}

MpiEngine::~MpiEngine() {
  if (request_ == MPI_REQUEST_NULL) MPI_Comm_free(&communicator_);
}

void MpiEngine::begin(Slice slice, Completion ready) {
  bucket_ = {slice, Clock::now(), {}, ready.when};
  blocking_ = calls_.blocking(static_cast<std::int64_t>(slice.count) * wire_.element_bytes());
  piece_ = {slice.offset, std::min(piece_elements_, slice.count)};
  if (!blocking_) start_piece();
}

void MpiEngine::start_piece() {
  void* message = wire_.pack(arena_ + piece_.offset, piece_.count);
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, message, static_cast<int>(piece_.count), wire_.type(),
                           wire_.operation(), communicator_, &request_));
  elements_reduced_ += static_cast<std::int64_t>(piece_.count);
}

void MpiEngine::reduce_piece() {
  void* message = wire_.pack(arena_ + piece_.offset, piece_.count);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, message, static_cast<int>(piece_.count), wire_.type(),
                          wire_.operation(), communicator_));
  elements_reduced_ += static_cast<std::int64_t>(piece_.count);
}

void MpiEngine::finish_piece() {
  wire_.unpack(arena_ + piece_.offset, piece_.count);
  piece_.offset += piece_.count;
  piece_.count = std::min(piece_elements_, bucket_.slice.end() - piece_.offset);
}

bool MpiEngine::test() {
  int complete = 1;
  if (blocking_)
    reduce_piece();
  else
    check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE));
  if (!complete) return false;
  finish_piece();
  if (piece_.count == 0) bucket_.end = Clock::now();
  if (piece_.count > 0 && !blocking_) start_piece();
  return piece_.count == 0;
}

void MpiEngine::wait(std::size_t bucket) {
  Backoff backoff;
  while (!test())
    if (!blocking_) {
      check_time_limit(bucket_, bucket, rank_, timeout_s_);
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
