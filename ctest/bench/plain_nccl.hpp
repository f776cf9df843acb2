// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "miniapp/collectives/drivers/collective_call.hpp"
#include "miniapp/collectives/engines/nccl_message.hpp"  // includes nccl.h or rccl.h
#include "miniapp/device/gpu.hpp"

namespace ddproxy::bench {

/// Calls NCCL as a user's program does, without ddproxy's lane: one communicator, one stream, and the host
/// waits for the stream.
class PlainNccl {
 public:
  /// Makes the communicator. `memory` is device memory that the slices of the calls refer to; it must outlive
  /// the object. Throws std::runtime_error if NCCL reports an error. Collective over `communicator`.
  PlainNccl(MPI_Comm communicator, float* memory);
  ~PlainNccl();
  PlainNccl(PlainNccl const&) = delete;
  PlainNccl& operator=(PlainNccl const&) = delete;

  /// Enqueues an all-reduce that averages, a reduce-scatter that averages, an all-gather, or a broadcast from
  /// rank 0, all in place on full_slice(call). Throws std::runtime_error if NCCL reports an error, and
  /// std::logic_error for another verb.
  void enqueue(CollectiveCall const& call);
  /// Waits until the stream has done all its work.
  void synchronise();

 private:
  float* memory_;
  int rank_ = 0, ranks_ = 1;
  gpu::OwnStream stream_;
  ncclComm_t communicator_ = nullptr;
};

}  // namespace ddproxy::bench
