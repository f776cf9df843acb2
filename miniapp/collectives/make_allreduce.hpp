// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "kernels/types.hpp"
#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/collectives/engines/call_table.hpp"
#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Throws std::invalid_argument if this build does not have the input's backend.
void check_backend(Config const& config);

/// How a rank reduces with MPI.
struct CallChoice {
  CallTable calls;        ///< blocking or nonblocking, by message size; the same on all ranks
  bool own_core = false;  ///< the communication thread of this rank has a core beside those that compute
  std::string reason;     ///< why these calls, for users; empty if MPI reduces nothing
};

/// Makes the communication lane that the input asks for, with these MPI calls. It works on slices of
/// `memory`, whose elements must outlive it; the memory may be empty for replay. A slice has at most
/// `most_elements` elements, or as many as the memory if `most_elements` is 0. Collective over
/// `communicator`. Throws as check_backend() does. Throws std::invalid_argument if the input asks for direct
/// buffers that the wire format or MPI does not support.
std::unique_ptr<CommunicationLane> make_allreduce(Config const& config, CallChoice const& choice,
                                                  MPI_Comm communicator, kernels::Floats const& memory,
                                                  std::size_t most_elements = 0);

/// Returns the version of the NCCL that this program would use, or "none".
std::string nccl_version();

}  // namespace ddproxy
