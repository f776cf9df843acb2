// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <cstdint>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/foreign_call.hpp"
#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// An error that all ranks throw together. Rank 0 prints the message once, and every rank exits with `code`.
struct CollectiveError : std::exception {
  CollectiveError(int exit_code, std::string text) : code(exit_code), message(std::move(text)) {}
  char const* what() const noexcept override { return message.c_str(); }
  int code;
  std::string message;
};

/// The settings with which a run starts.
struct RuntimeOptions {
  bool share_device = false;  ///< several ranks may use one device
  bool strict = false;        ///< more threads than cores are an error
  ThreadWish wish = {};       ///< number of threads of a rank; by default it follows from the rank's cores
  /// The thread level that MPI is asked for. MPI_THREAD_SERIALIZED suffices if only one thread at a time
  /// calls MPI. Several communication lanes (docs/glossary.md) with blocking MPI calls need
  /// MPI_THREAD_MULTIPLE. It is not the default, because its locks slow down every call of MPI.
  int mpi_threads = MPI_THREAD_SERIALIZED;
};

/// Applies a time limit to an MPI call for as long as this object lives. The destructor also forgets the
/// error that MPI may have left in the device's library (kernels/base/foreign_call.hpp).
struct LimitedCall {
  LimitedCall(CallWatch& watch, char const* call) : scope(watch, call) {}
  ~LimitedCall() { kernels::forget_foreign_error(); }
  LimitedCall(LimitedCall const&) = delete;
  LimitedCall& operator=(LimitedCall const&) = delete;
  CallWatch::Scope scope;
};

/// Starts MPI, selects this rank's device or cores, and starts Kokkos. The destructor ends Kokkos, then MPI.
///
/// Cray MPICH and MVAPICH bind to the device that is selected when MPI starts. So a build for a device
/// selects one before MPI starts. It takes the rank's number on the node from the launcher's variables
/// (miniapp/cores/launch.hpp). When MPI has started, the device is chosen again by the number that MPI gives.
/// If this changes the device, rank 0 prints a warning.
///
/// Problem: a rank that fails or stops must not leave the others waiting for ever. So every call in which a
/// rank waits for others runs within a time limit. An error on one rank becomes the same error on all ranks.
///
/// Order of calls: construct one Runtime at the start of main(), and keep it for the whole run. The members
/// of this class apply the time limit themselves, except broadcast_asleep(). Around any other MPI call that
/// waits, use limited(). If an action can fail on some ranks only, run it with together(). The members that
/// communicate are marked as collective: all ranks must call them in the same order.
class Runtime {
 public:
  /// Starts everything. Throws std::runtime_error if MPI offers less than MPI_THREAD_SERIALIZED, whatever
  /// options.mpi_threads asks for. Throws std::invalid_argument if the launcher started several tasks but MPI
  /// sees one. In a build for a device, throws CollectiveError with exit code 4 if a rank has no device, or
  /// if two ranks have the same device and options.share_device is false. Throws it with exit code 2 if
  /// KOKKOS_VISIBLE_DEVICES is set. In a build for a host, throws CollectiveError with exit code 2 if
  /// options.strict is true and a rank has more threads than cores.
  Runtime(int& argc, char**& argv, RuntimeOptions const& options = {});
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;

  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool root() const { return rank_ == 0; }
  int local_rank() const { return local_rank_; }    ///< this rank's number among the ranks of its node
  int local_ranks() const { return local_ranks_; }  ///< number of ranks on this node
  int device() const { return device_; }            ///< number of this rank's device; -1 on a host
  int ranks_on_device() const { return ranks_on_device_; }  ///< number of ranks that use this rank's device
  /// Returns the threads of this rank. In a build for a device the result has no meaning.
  ThreadChoice const& threads() const { return threads_; }
  ThreadWish const& wish() const { return wish_; }

  /// Sets a time limit of `timeout_s` seconds ([allreduce] timeout_s of the input) for every later call in
  /// which this rank waits for others. If a call takes longer, `overdue` is called with a line that names the
  /// rank, the call, and what the rank was doing (noted_step() in miniapp/errors/step_name.hpp). `overdue`
  /// runs on another thread, because the rank's own thread is still in the call. It must end the process. A
  /// communication lane calls it, too, if the rank's own thread is stuck in a collective
  /// (miniapp/errors/stuck_call.hpp). Until the first limit_calls(), the time limit is call_limit_s, and the
  /// process exits with code 4 when it is exceeded. MPI_Init_thread has no time limit.
  void limit_calls(double timeout_s, std::function<void(std::string const&)> overdue) const;
  /// Keeps the time limit that is set, but no longer calls the `overdue` that was given with it. If a call
  /// takes longer, prints a line with the same names, and exits with code 4.
  void limit_calls() const;
  static constexpr double call_limit_s = 300;  ///< default time limit of a call, seconds
  /// Applies the time limit to an MPI call that the caller makes, for as long as the result lives. `call` is
  /// the name of the MPI function. The text must outlive the result. Only one limit may be active at a time.
  LimitedCall limited(char const* call) const { return {*watch_, call}; }
  /// Applies the time limit while this rank waits for work on its device, for as long as the result lives.
  /// Without it the rank would wait for ever for a kernel that hangs. Does nothing in a build for a host,
  /// because there a pass may compute for longer than the time limit of a call. Only one limit may be active
  /// at a time.
  std::optional<CallWatch::Scope> limited_on_device() const;

  /// Creates a communicator of the ranks of this node, within the time limit. The caller frees it.
  /// Collective.
  MPI_Comm split_by_node() const;

  /// On rank 0, returns one number for each rank: the lowest rank on the same node. Returns an empty
  /// list on the other ranks. Collective.
  std::vector<std::size_t> node_of_ranks() const;

  /// Waits for all ranks and returns the seconds that this rank waited. Collective.
  double barrier() const;
  /// Gathers the values of all ranks on rank 0, in the order of the ranks. Each rank gives the same number of
  /// values. Returns an empty list on the other ranks. Collective.
  std::vector<double> gather(std::vector<double> const& mine) const;
  /// Gathers the texts of all ranks on rank 0, in the order of the ranks. Returns an empty list on the other
  /// ranks. Collective.
  std::vector<std::string> gather(std::string const& mine) const;
  /// Returns the largest value of any rank, on all ranks. Collective.
  double maximum(double mine) const;
  /// Returns the sum of the values of all ranks, on all ranks. Collective.
  double sum(double mine) const;
  /// Assigns the values of rank 0 to `values` on all ranks. `values` must have the same size on every rank.
  /// Collective.
  void broadcast(std::vector<std::int64_t>& values) const;
  void broadcast(std::vector<double>& values) const;
  /// Does what broadcast() does, but without a time limit. It is for ranks that wait while rank 0 waits for
  /// another program. A waiting rank sleeps for 1 ms between two tests, so that the other program can use its
  /// core. Collective.
  void broadcast_asleep(std::vector<std::int64_t>& values) const;

  /// Runs `action` on every rank. If `action` throws on some ranks, all ranks throw CollectiveError. The exit
  /// code and the message come from the lowest rank on which `action` threw. The message is cut to 1024
  /// characters. Collective.
  void together(std::function<void()> const& action) const;

 private:
  /// Starts MPI in its constructor and ends MPI in its destructor. It is a member of Runtime, so MPI starts
  /// before the members below are made, and ends after they are destroyed. This holds even if the constructor
  /// of Runtime throws.
  struct Mpi {
    Mpi(int& argc, char**& argv, int threads, std::optional<CallWatch>& watch);
    ~Mpi();  ///< ends MPI, within the time limit if there is one
    std::optional<CallWatch>& watch;
  };
  static int select_device_early();
  std::vector<std::string> share_on_node(std::string text) const;
  void take_device(bool share);
  void take_cores(bool strict);

  mutable std::optional<CallWatch> watch_;  // must outlive mpi_, because it watches MPI_Finalize
  mutable double timeout_s_ = call_limit_s;
  int early_device_;  // device that was selected before MPI started, or -1; must be declared before mpi_
  Mpi mpi_;
  int rank_ = 0, ranks_ = 1, local_rank_ = 0, local_ranks_ = 1;
  int device_ = -1, ranks_on_device_ = 1;
  ThreadWish wish_;
  ThreadChoice threads_;
};

/// Returns the exit code and the message for the exception that is being handled. Call this function in a
/// catch block only.
CollectiveError describe_current_exception();

}  // namespace ddproxy
