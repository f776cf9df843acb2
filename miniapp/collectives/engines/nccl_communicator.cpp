// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_communicator.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/collectives/engines/nccl_version.hpp"
#include "miniapp/errors/errors.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

// The version of the headers decides what this build can use. NCCL 2.14 added communicators with options, and
// calls that return while they are still in progress. NCCL 2.13 added the text of the last error. RCCL uses
// the same version numbers.
#if NCCL_VERSION_CODE >= 21400
constexpr int oldest_for_this_build = 21400;
ncclResult_t initialise(ncclComm_t& communicator, int ranks, ncclUniqueId id, int rank) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  // Makes a blocking communicator, as PyTorch DDP does. A nonblocking communicator starts a thread for each
  // call, and the measured times would include these starts. Both kinds can be aborted. The environment
  // variable NCCL_COMM_BLOCKING=0 still selects a nonblocking communicator.
  config.blocking = 1;
  return ncclCommInitRankConfig(&communicator, ranks, id, rank, &config);
}
bool at_work(ncclResult_t status) {
  return status == ncclInProgress;
}
#else
constexpr int oldest_for_this_build = oldest_nccl;
ncclResult_t initialise(ncclComm_t& communicator, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRank(&communicator, ranks, id, rank);
}
bool at_work(ncclResult_t) {
  return false;
}
#endif

std::string last_error([[maybe_unused]] ncclComm_t communicator) {
#if NCCL_VERSION_CODE >= 21300
  return ncclGetLastError(communicator);
#else
  return "set NCCL_DEBUG=WARN to see the reason";
#endif
}

int library_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) throw std::runtime_error("NCCL does not tell its version");
  return version;
}

// Makes an id on rank 0 and returns it on all ranks. Collective.
ncclUniqueId agree_on_id(MPI_Comm communicator, int rank) {
  ncclUniqueId id{};
  const auto status = rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  int failed = status != ncclSuccess;
  check_mpi(MPI_Bcast(&failed, 1, MPI_INT, 0, communicator));
  if (failed)
    throw std::runtime_error("NCCL finds no network interface; set NCCL_DEBUG=INFO to see the reason");
  check_mpi(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, communicator));
  return id;
}

}  // namespace

NcclCommunicator::NcclCommunicator(MPI_Comm communicator, double timeout_s)
    : timeout_s_(timeout_s), watch_(timeout_s, [this](char const* what) { give_up(what); }) {
  const kernels::ForeignCall foreign;
  require_nccl_version(library_version(), oldest_for_this_build);
  check_mpi(MPI_Comm_rank(communicator, &rank_));
  check_mpi(MPI_Comm_size(communicator, &ranks_));
  const ncclUniqueId id = agree_on_id(communicator, rank_);
  constexpr char what[] = "making the communicator";
  const auto watched = watch(what);
  settle(initialise(communicator_, ranks_, id, rank_), what);
}

NcclCommunicator::~NcclCommunicator() {
  if (communicator_ == nullptr) return;
  const bool failed = std::uncaught_exceptions() > 0;  // then other ranks may never reach ncclCommDestroy
  const auto watched =
      watch(failed ? "aborting the communicator after another error" : "ending the communicator");
  if (failed)
    ncclCommAbort(communicator_);
  else
    ncclCommDestroy(communicator_);
}

// Runs on the thread of the watchdog.
void NcclCommunicator::give_up(char const* what) const {
  results::say_error(
      fmt::format("ddproxy: rank {}: NCCL: {} did not complete within {} s (allreduce.timeout_s)", rank_,
                  what, timeout_s_));
  std::_Exit(exit_run_time);
}

void NcclCommunicator::enqueue(NcclMessage const& message, gpu::Stream stream, std::string const& what) {
  const kernels::ForeignCall foreign;
  settle(call(message, stream), what);
}

void NcclCommunicator::enqueue_group(std::span<const NcclMessage> messages, gpu::Stream stream,
                                     std::string const& what) {
  const kernels::ForeignCall foreign;
  ncclResult_t status = ncclGroupStart();
  for (auto const& message : messages)
    if (status == ncclSuccess) status = call(message, stream);
  const ncclResult_t ended = ncclGroupEnd();
  settle(status == ncclSuccess ? ended : status, what);
}

ncclResult_t NcclCommunicator::call(NcclMessage const& message, gpu::Stream stream) {
  auto const& [verb, send, receive, count, type, operation, root_or_peer] = message;
  switch (verb) {
    case model::Verb::all_reduce:
      return ncclAllReduce(send, receive, count, type, operation, communicator_, stream);
    case model::Verb::reduce_scatter:
      return ncclReduceScatter(send, receive, count, type, operation, communicator_, stream);
    case model::Verb::all_gather:
      return ncclAllGather(send, receive, count, type, communicator_, stream);
    case model::Verb::broadcast:
      return ncclBroadcast(send, receive, count, type, root_or_peer, communicator_, stream);
    case model::Verb::send:
      return ncclSend(send, count, type, root_or_peer, communicator_, stream);
    case model::Verb::receive:
      return ncclRecv(receive, count, type, root_or_peer, communicator_, stream);
  }
  return ncclInvalidArgument;
}

void NcclCommunicator::check_errors(std::string const& what) {
  const kernels::ForeignCall foreign;
  settle(ncclSuccess, what);
}

// Waits until NCCL has finished a call, and aborts the communicator if the call failed. A nonblocking
// communicator may still work on a call after the call has returned. It must not get another call before this
// work is finished.
void NcclCommunicator::settle(ncclResult_t status, std::string const& what, std::source_location where) {
  const auto start = Clock::now();
  for (; status == ncclSuccess || at_work(status); sched_yield()) {
    if (communicator_ == nullptr) return;
    ncclResult_t state = ncclSuccess;
    status = ncclCommGetAsyncError(communicator_, &state);
    if (status == ncclSuccess) status = state;
    if (status == ncclSuccess) return;
    if (seconds_since(start) > timeout_s_)
      abort(fmt::format("{} made no progress for {} s (allreduce.timeout_s)", what, timeout_s_));
  }
  abort(fmt::format("{}: {}: {} (line {})", what, ncclGetErrorString(status), last_error(communicator_),
                    where.line()));
}

void NcclCommunicator::abort(std::string const& why) {
  const std::string what = "aborting after \"" + why + "\"";
  const auto watched = watch(what.c_str());
  if (auto* const aborted = std::exchange(communicator_, nullptr)) ncclCommAbort(aborted);
  throw std::runtime_error(fmt::format("rank {}: NCCL: {}", rank_, why));
}

}  // namespace ddproxy
