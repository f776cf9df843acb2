// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "kernels/types.hpp"
#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/input/config.hpp"

namespace ddproxy {

/// Averages slices of `arena`, device memory, of at most `most_elements`, by NCCL (or RCCL) on a stream of
/// its own, which waits for each slice's event; the host only asks. With wire "bf16" kernels on that stream
/// round each slice before its reduction and widen it after. Collective over `communicator`. Throws
/// std::runtime_error where NCCL is older than it has to be (nccl_version.hpp) or finds no way between the
/// ranks. wait_all() and wait_for() throw, the communicator aborted, where NCCL reports an error or a slice
/// takes longer than allreduce.timeout_s.
std::unique_ptr<CommunicationLane> make_nccl_allreduce(Config const& config, MPI_Comm communicator,
                                                       kernels::Floats const& arena,
                                                       std::size_t most_elements);

/// Of the library that is loaded, for instance 2.28.9.
std::string loaded_nccl_version();

}  // namespace ddproxy
