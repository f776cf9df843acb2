// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/mpi_call_table.hpp"
#include "miniapp/collectives/engines/mpi_collective.hpp"

namespace ddproxy {

/// Carries out collectives, sends and receives with MPI on host memory, or on device memory if MPI supports
/// it. MpiCallTable selects blocking or nonblocking MPI calls, for example MPI_Allreduce or MPI_Iallreduce.
///
/// Problem: for a nonblocking collective in place, MPI allocates a temporary buffer for the whole message. So
/// a collective is carried out in consecutive pieces. Each piece is converted to the wire format before it is
/// sent, and converted back when it has arrived. If the collective averages, its sums are turned into
/// averages. MpiWire does all this.
///
/// The sends and receives of a group use nonblocking functions. They are in flight at the same time, each
/// with a buffer of its own. Their tags count messages, so the k-th send of rank a to rank b matches the k-th
/// receive of b from a, no matter how they are grouped.
///
/// Order of calls: construct the engine on all ranks of the communicator; make_room() if there will be groups
/// of several collective calls; then for each collective or group the functions of CollectiveEngine:
///
///     engine.begin(all_reduce(slice), ready);
///     while (!engine.test()) compute_a_little();   // or engine.wait(number, core_is_free)
///
/// All ranks begin the same collectives in the same order. MPI makes progress only within test() and wait().
/// Destroy the engine on all ranks before MPI ends, with no collective in flight: an engine with an open
/// request does not free its communicator.
class MpiEngine : public CollectiveEngine {
 public:
  /// Duplicates the communicator and allocates the buffers. Collective over `communicator`. The slices of the
  /// collective calls are ranges of elements of `arena`, which must outlive the engine. A piece has at most
  /// `piece_elements` elements. A collective that takes longer than `timeout_s` seconds is an error.
  /// `mpi_calls` selects the MPI call by bytes on the wire, and must be the same on all ranks. For device
  /// memory pass `scale`, the function that multiplies a slice on the device by a factor; device memory is
  /// always sent in fp32. For host memory `scale` is null.
  MpiEngine(MPI_Comm communicator, float* arena, std::size_t piece_elements, double timeout_s,
            WireFormat wire = WireFormat::fp32, MpiCallTable mpi_calls = MpiCallTable(),
            Scale scale = nullptr);
  ~MpiEngine() override;
  MpiEngine(MpiEngine const&) = delete;
  MpiEngine& operator=(MpiEngine const&) = delete;

  void begin(CollectiveCall const& call, Completion ready) override;
  void begin_group(std::span<const PostedCall> calls, Completion ready) override;
  void make_room(std::size_t largest_group) override;
  /// Makes progress and returns whether the collective is done. With a blocking function, carries out one
  /// piece and waits for it.
  bool test() override;
  void wait(std::size_t call, CoreIsFree const& core_is_free) override;
  void check_time(std::size_t call) const override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override;
  std::string description() const override;
  double unwatched_limit_s() const override;

 private:
  std::unique_ptr<MpiCollective> make_call() const;
  int tag_of(CollectiveCall const& call);
  bool test_in_row(bool core_is_free);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  float* arena_;
  MpiCallTable mpi_calls_;
  double timeout_s_;
  GroupPlace place_;
  WireFormat wire_;
  std::size_t piece_elements_;
  Scale scale_;

  FinishedCall call_{};
  bool blocking_ = false;  // whether call_ uses the blocking MPI call
  std::vector<std::unique_ptr<MpiCollective>>
      under_way_;                          // one object for each collective of the largest group
  std::size_t group_ = 1;                  // the first group_ objects are in flight
  std::vector<unsigned> sent_, received_;  // [rank of the group] number of messages, for the tags
};

}  // namespace ddproxy
