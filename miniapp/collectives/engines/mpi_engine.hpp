// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/call_table.hpp"
#include "miniapp/collectives/engines/mpi_call.hpp"

namespace ddproxy {

/// MPI all-reduces of host memory, or of a device's where MPI takes it, by MPI_Iallreduce or by
/// MPI_Allreduce. A bucket goes in consecutive pieces, because an in-place nonblocking collective allocates a
/// temporary of the whole message; each piece is packed for the wire when it leaves, and unpacked and scaled
/// by 1/n as it arrives. Sends and receives of a group are all on their way at once, each with a buffer of
/// its own. The n-th send of a rank to another one meets the other's n-th receive from it, whatever is
/// grouped.
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
  void begin_group(std::span<const PostedCall> calls, Completion ready) override;
  void make_room(std::size_t largest_group) override;
  /// With the blocking call it carries out one piece.
  bool test() override;
  void wait(std::size_t call) override;
  void check_time(std::size_t call) const override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override;
  std::string description() const override;
  double unwatched_limit_s() const override;

 private:
  std::unique_ptr<MpiCall> make_call() const;
  int tag_of(CollectiveCall const& call);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  float* arena_;
  CallTable calls_;
  double timeout_s_;
  GroupPlace place_;
  WireFormat wire_;
  std::size_t piece_elements_;
  Scale scale_;

  FinishedCall call_{};
  bool blocking_ = false;                            // the collective under way
  std::vector<std::unique_ptr<MpiCall>> under_way_;  // one, or as many as the largest group
  std::size_t group_ = 1;                            // of them are under way
  std::vector<unsigned> sent_, received_;  // [rank of the group] messages, by which they are matched
};

}  // namespace ddproxy
