// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <string>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/input/config.hpp"
#include "miniapp/input/engine_buffers.hpp"

namespace ddproxy {

/// Makes a lane that carries out collectives with NCCL, or RCCL, on slices of `arena`, which is device
/// memory. `most` has the largest numbers of elements of the lane's calls.
///
/// Problem: NCCL carries out a collective as a kernel on a stream. On the stream of compute it would run
/// between two operators, and not while they run. So the lane has a stream of its own. Before each collective
/// the stream waits for the event that says that the data are ready. The host only enqueues. With wire
/// "bf16", kernels on the same stream round each slice to bf16 before its collective, and convert the result
/// to fp32 after it.
///
/// Order of calls: for each step synchronise_clocks() (miniapp/device/device.hpp), and then the calls of
/// CommunicationLane:
///
///     lane->begin(2);
///     lane->start(all_reduce(first), first_ready);  // first_ready, second_ready: events of compute's stream
///     lane->start(all_reduce(second), second_ready);
///     lane->wait_all();
///     auto const& times = lane->finished();
///
/// All ranks start the same collectives in the same order. progress() is not needed. finished() asks the
/// device for the times, so call it outside of timed regions.
///
/// Collective over `communicator`. The elements of `arena` must outlive the lane. Throws
/// std::runtime_error if NCCL is too old (nccl_version.hpp), or if it cannot connect the ranks.
///
/// The methods of the lane that start or wait for calls abort the communicator and throw std::runtime_error
/// if NCCL reports an error. wait_all() also does this if a call takes longer than allreduce.timeout_s.
/// The result of a reduce-scatter with `adds` is written to memory of the lane. A kernel on the same stream
/// then adds it to the elements in `arena`. start() and start_group() throw std::invalid_argument as
/// check_call() and check_grouped() (drivers/collective_call.hpp) do, and if such a result has more elements
/// than `most` says. start_group() also throws it for a group of several calls with wire "bf16".
std::unique_ptr<CommunicationLane> make_nccl_allreduce(Config const& config, MPI_Comm communicator,
                                                       std::span<float> arena, MostElements most);

/// Returns the version of the NCCL that is loaded, for instance "2.28.9".
std::string loaded_nccl_version();

}  // namespace ddproxy
