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

/// Throws std::invalid_argument where this build does not have the backend.
void check_backend(Config const& config);

/// How a rank makes its all-reduces with MPI.
struct CallChoice {
  CallTable calls;        ///< the same on all ranks
  bool own_core = false;  ///< the communication thread of this rank has a core beside those that compute
  std::string reason;     ///< why these calls, for people; empty where nothing is reduced by MPI
};

/// Makes the all-reduce that the input asks for, with these calls, for slices of `memory`, which may be empty
/// for replay. A slice has at most `most_elements`; 0: as many as the memory. Collective over `communicator`.
/// Throws as check_backend() does.
std::unique_ptr<CommunicationLane> make_allreduce(Config const& config, CallChoice const& choice,
                                                  MPI_Comm communicator, kernels::Floats const& memory,
                                                  std::size_t most_elements = 0);

/// Version of the NCCL that this program would use, or "none".
std::string nccl_version();

}  // namespace ddproxy
