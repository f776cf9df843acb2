// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/allreduce_mpi.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/check.hpp"
#include "miniapp/nap.hpp"
#include "miniapp/time_limit.hpp"

namespace ddproxy {

MpiEngine::MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
                     Wire wire, Scale scale)
    : arena_(arena),
      piece_elements_(piece_elements),
      wire_(wire, piece_elements),
      scale_(scale),
      timeout_s_(timeout_s) {
  check_mpi(MPI_Comm_dup(communicator, &communicator_));
  check_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  check_mpi(MPI_Comm_rank(communicator_, &rank_));
  int ranks = 1;
  check_mpi(MPI_Comm_size(communicator_, &ranks));
  factor_ = 1.0F / static_cast<float>(ranks);
}

MpiEngine::~MpiEngine() {
  if (request_ == MPI_REQUEST_NULL) MPI_Comm_free(&communicator_);
}

void MpiEngine::begin(Slice slice, Completion ready) {
  reduction_ = {slice, Clock::now(), {}, ready.when};
  piece_ = {slice.offset, 0};
  start_piece();
}

void MpiEngine::start_piece() {
  Slice const& slice = reduction_.slice;
  piece_.offset += piece_.count;
  piece_.count = std::min(piece_elements_, slice.offset + slice.count - piece_.offset);
  void* message = wire_.pack(arena_ + piece_.offset, piece_.count);
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, message, static_cast<int>(piece_.count), wire_.type(), wire_.sum(),
                           communicator_, &request_));
  elements_reduced_ += static_cast<std::int64_t>(piece_.count);
}

bool MpiEngine::test() {
  int complete = 0;
  check_mpi(MPI_Test(&request_, &complete, MPI_STATUS_IGNORE));
  if (!complete) return false;
  if (scale_)
    scale_(arena_ + piece_.offset, piece_.count, factor_);
  else
    wire_.unpack(arena_ + piece_.offset, piece_.count, factor_);
  if (piece_.offset + piece_.count < reduction_.slice.offset + reduction_.slice.count) {
    start_piece();
    return false;
  }
  reduction_.end = Clock::now();
  return true;
}

void MpiEngine::wait(std::size_t bucket) {
  for (Nap nap; !test(); nap()) check_time_limit(reduction_, bucket, rank_, timeout_s_);
}

std::string MpiEngine::description() const {
  return fmt::format("mpi, {} buffers, {}", scale_ ? "device" : "host", wire_.name());
}

}  // namespace ddproxy
