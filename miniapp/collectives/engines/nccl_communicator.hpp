// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>
#include <span>
#include <string>

#include "miniapp/collectives/engines/wire.hpp"
#include "miniapp/device/gpu.hpp"
#include "miniapp/errors/call_watch.hpp"
#include "model/step/step_graph.hpp"
#ifdef KOKKOS_ENABLE_HIP
#include <rccl.h>
#else
#include <nccl.h>
#endif

namespace ddproxy {

/// What one call of NCCL needs to know. A rank's own part of what is read may be what it assigns, and the
/// other way round: NCCL carries that out in place.
struct NcclMessage {
  model::Verb verb;
  void const* send;   ///< not used by receive
  void* receive;      ///< not used by send
  std::size_t count;  ///< elements; of one part, for reduce_scatter and all_gather
  ncclDataType_t type;
  ncclRedOp_t operation;  ///< bf16 is added and rounded as NCCL does it
  int root_or_peer = 0;
};

/// One NCCL communicator over the ranks of an MPI one; aborted where anything goes wrong, so that no rank is
/// left waiting in a kernel. A call of the host that does not come back within the limit ends the process
/// with a line that says so and exit_run_time: what blocks in NCCL cannot be called off.
class NcclCommunicator {
 public:
  /// Collective. Throws as make_nccl_allreduce() does.
  NcclCommunicator(MPI_Comm communicator, double timeout_s);
  ~NcclCommunicator();
  NcclCommunicator(NcclCommunicator const&) = delete;
  NcclCommunicator& operator=(NcclCommunicator const&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// For as long as what it returns lives, calls for `what` are watched: NCCL's, and those of the device's
  /// driver, whose queue is full where a kernel before them stands still.
  [[nodiscard]] CallWatch::Scope watch(char const* what) { return {watch_, what}; }

  /// Enqueues one collective, or one send or receive. Throws where it fails, and names it `what`. The caller
  /// watches the call.
  void enqueue(NcclMessage const& message, gpu::Stream stream, std::string const& what);
  /// Enqueues sends and receives as one group (ncclGroupStart, ncclGroupEnd): none waits for another. Throws
  /// as enqueue() does.
  void enqueue_group(std::span<const NcclMessage> messages, gpu::Stream stream, std::string const& what);
  /// Throws where NCCL has found an error since.
  void check_errors(std::string const& what) { settle(ncclSuccess, what); }

  /// Ends what is under way on this rank, its kernels included, and throws std::runtime_error.
  [[noreturn]] void abort(std::string const& why);

 private:
  [[noreturn]] void give_up(char const* what) const;
  void settle(ncclResult_t status, std::string const& what,
              std::source_location where = std::source_location::current());

  ncclResult_t call(NcclMessage const& message, gpu::Stream stream);

  ncclComm_t communicator_ = nullptr;
  int rank_ = 0, ranks_ = 1;
  double timeout_s_;
  CallWatch watch_;  // the last: its thread uses the others
};

}  // namespace ddproxy
