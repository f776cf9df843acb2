// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/bench/nccl_stopwatch.hpp"

#include <utility>

#include "miniapp/collectives/engines/nccl_message.hpp"  // includes nccl.h or rccl.h
#include "miniapp/device/gpu.hpp"
#include "miniapp/errors/clock.hpp"

namespace {
double seconds_in_nccl = 0;
}

// Takes the place of the library's function in this program. pncclAllReduce is the same function under the
// name that NCCL has for profilers.
ncclResult_t ncclAllReduce(void const* send, void* receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, ddproxy::gpu::Stream stream) {
  const auto start = ddproxy::Clock::now();
  const auto status = pncclAllReduce(send, receive, count, type, operation, communicator, stream);
  seconds_in_nccl += ddproxy::seconds_since(start);
  return status;
}

namespace ddproxy::bench {

double take_nccl_seconds() {
  return std::exchange(seconds_in_nccl, 0);
}

}  // namespace ddproxy::bench
