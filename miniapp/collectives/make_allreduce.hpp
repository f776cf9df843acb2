// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/collectives/engines/mpi_call_table.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {

/// Checks that this build supports the [allreduce] backend of the input. Throws std::invalid_argument if not.
void check_backend(Config const& config);

/// How a rank reduces with MPI.
struct MpiCallChoice {
  MpiCallTable mpi_calls;  ///< blocking or nonblocking, by message size; the same on all ranks
  bool own_core = false;   ///< the communication thread of this rank has a core that no compute thread uses
  std::string reason;      ///< the reason for this choice, for users; empty if MPI reduces nothing
};

/// Makes the communication lane that the input asks for, with the MPI calls of `choice`. The lane works on
/// slices of `memory`, whose elements must outlive the lane. For replay the memory may be empty. A slice has
/// at most `most_elements` elements; 0 means the size of the memory. Collective over `communicator`. Throws
/// as check_backend() does. In a build for a device, throws std::invalid_argument if the input asks for
/// direct buffers, but the wire format, the sharded step or MPI does not support them. With NCCL, throws as
/// make_nccl_allreduce() (engines/nccl_lane.hpp) does.
std::unique_ptr<CommunicationLane> make_allreduce(Config const& config, MpiCallChoice const& choice,
                                                  MPI_Comm communicator, std::span<float> memory,
                                                  std::size_t most_elements = 0);

/// A communicator on which a lane of a step communicates.
struct LaneGroup {
  MPI_Comm communicator;   ///< not used by a replay
  GroupPlace place;        ///< this rank's place in its group
  MostElements most = {};  ///< largest numbers of elements of the lane's collective calls
  int nodes = 0;           ///< number of nodes on which a group's ranks are, for a replay; 0: not known
};

/// Makes a communication lane for each group, in their order. The lanes work on slices of `memory`, as the
/// lane of make_allreduce() does. A single lane has the same driver as that lane. For several lanes
/// make_lanes() (make_lanes.hpp) chooses the threads that drive them. Lanes of NCCL need no thread. Replayed
/// lanes share a link (engines/replay_link.hpp). Collective over the communicators. Throws as
/// make_allreduce() and make_lanes() do.
std::vector<std::unique_ptr<CommunicationLane>> make_group_lanes(Config const& config,
                                                                 MpiCallChoice const& choice,
                                                                 std::span<const LaneGroup> groups,
                                                                 std::span<float> memory);

/// Returns the version of the NCCL that this program would use, or "none".
std::string nccl_version();

}  // namespace ddproxy
