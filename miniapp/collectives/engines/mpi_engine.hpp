// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/call_table.hpp"
#include "miniapp/collectives/engines/wire.hpp"

namespace ddproxy {

/// MPI all-reduces of host memory, or of a device's where MPI takes it, by MPI_Iallreduce or by
/// MPI_Allreduce. A bucket goes in consecutive pieces, because an in-place nonblocking collective allocates a
/// temporary of the whole message; each piece is packed for the wire when it leaves, and unpacked and scaled
/// by 1/n as it arrives.
class MpiEngine : public CollectiveEngine {
 public:
  /// `arena` outlives the engine; a piece has at most `piece_elements`; a bucket that takes longer than
  /// `timeout_s` is an error. `calls` says which call reduces a bucket, by its bytes on the wire; all ranks
  /// have the same. Device memory needs `scale`, and goes over the wire as it is (fp32).
  MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
            WireFormat wire = WireFormat::fp32, CallTable calls = CallTable(), Scale scale = nullptr);
  ~MpiEngine() override;
  MpiEngine(MpiEngine const&) = delete;
  MpiEngine& operator=(MpiEngine const&) = delete;

  void begin(CollectiveCall const& call, Completion ready) override;
  /// With the blocking call it carries out one piece.
  bool test() override;
  void wait(std::size_t call) override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return elements_; }
  std::string description() const override;
  double unwatched_limit_s() const override;

 private:
  MpiMessage pack_piece();
  void start_piece();
  void finish_piece();

  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  float* arena_;
  CallTable calls_;
  bool on_device_;
  double timeout_s_;
  GroupPlace place_;
  MpiWire wire_;

  FinishedCall call_{};
  bool blocking_ = false;  // the collective under way
  CallPieces pieces_;      // of the collective under way
  std::size_t piece_ = 0;  // under way; with the blocking call the next one
  ElementsByVerb elements_;
};

}  // namespace ddproxy
