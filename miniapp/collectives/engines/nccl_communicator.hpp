// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <source_location>
#include <span>
#include <string>

#include "miniapp/collectives/engines/nccl_message.hpp"
#include "miniapp/device/gpu.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// Owns one NCCL communicator over the ranks of an MPI communicator.
///
/// Problem: NCCL blocks without a time limit, on the device and on the host. If a rank fails, kernels on the
/// other ranks wait for ever. So any error aborts the communicator, and aborting ends its kernels. A function
/// of NCCL that runs on the host may never return, and it cannot be cancelled. So after the time limit a
/// watchdog (CallWatch) prints a line and ends the process with exit code 4 (exit_run_time).
///
/// Order of calls: watch(), then enqueue() or enqueue_group() while the result of watch() lives. The work is
/// done when the stream has completed it. Call check_errors() while waiting for the stream. After an error
/// the communicator must not be used.
class NcclCommunicator {
 public:
  /// Makes the communicator. `timeout_s` is the time limit of a call, in seconds. Throws std::runtime_error
  /// if NCCL is too old (nccl_version.hpp) or cannot connect the ranks. Collective over `communicator`.
  NcclCommunicator(MPI_Comm communicator, double timeout_s);
  /// Ends the communicator, on all ranks together. If the destructor runs because of an exception, aborts the
  /// communicator instead, without waiting for the other ranks.
  ~NcclCommunicator();
  NcclCommunicator(NcclCommunicator const&) = delete;
  NcclCommunicator& operator=(NcclCommunicator const&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Applies the time limit to the calls of NCCL and of the device's driver, for as long as the result lives.
  /// A driver call can block, too: if an earlier kernel hangs, the queue of the driver fills up. `what` names
  /// the calls in the error message, and must outlive the result.
  [[nodiscard]] CallWatch::Scope watch(char const* what) { return {watch_, what}; }

  /// Enqueues one collective, send or receive on the stream. If NCCL reports an error, aborts the
  /// communicator and throws std::runtime_error. The message contains `what`, the caller's name for the call.
  /// The caller must hold the result of watch() during this call.
  void enqueue(NcclMessage const& message, gpu::Stream stream, std::string const& what);
  /// Enqueues sends and receives as one group (ncclGroupStart, ncclGroupEnd), so that none waits for another.
  /// Reports errors as enqueue() does.
  void enqueue_group(std::span<const NcclMessage> messages, gpu::Stream stream, std::string const& what);
  /// Asks NCCL for errors of work that was enqueued earlier. Reports errors as enqueue() does.
  void check_errors(std::string const& what);

  /// Ends the work in flight on this rank, including its kernels, and throws std::runtime_error with the
  /// reason `why`.
  [[noreturn]] void abort(std::string const& why);

 private:
  [[noreturn]] void give_up(char const* what) const;
  void settle(ncclResult_t status, std::string const& what,
              std::source_location where = std::source_location::current());

  ncclResult_t call(NcclMessage const& message, gpu::Stream stream);

  ncclComm_t communicator_ = nullptr;
  int rank_ = 0, ranks_ = 1;
  double timeout_s_;
  CallWatch watch_;  // the last member, because its thread uses the others
};

}  // namespace ddproxy
