// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <cstdint>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// An error on which all ranks agree: rank 0 says it once, and every rank ends with `code`.
struct CollectiveError : std::exception {
  CollectiveError(int exit_code, std::string text) : code(exit_code), message(std::move(text)) {}
  char const* what() const noexcept override { return message.c_str(); }
  int code;
  std::string message;
};

/// How a run is to start.
struct RuntimeOptions {
  bool share_device = false;  ///< several ranks may use one device
  bool strict = false;        ///< more threads than cores are an error
  ThreadWish wish = {};       ///< threads that a rank computes with; without one, by its cores
  /// What MPI is asked for. One thread at a time calls it, save where several communication lanes make
  /// blocking calls: those need MPI_THREAD_MULTIPLE, whose locks every call pays for.
  int mpi_threads = MPI_THREAD_SERIALIZED;
};

/// MPI, then this rank's device, then Kokkos; torn down in reverse. One of them lives for the whole run.
class Runtime {
 public:
  /// Throws std::runtime_error where MPI offers less than MPI_THREAD_SERIALIZED; CollectiveError (exit 4) in
  /// a build for a device where a rank has none, or, unless they may share it, two ranks have the same;
  /// CollectiveError (exit 2) where a rank has more threads than cores and the options are strict.
  Runtime(int& argc, char**& argv, RuntimeOptions const& options = {});
  ~Runtime();
  Runtime(Runtime const&) = delete;
  Runtime& operator=(Runtime const&) = delete;

  MPI_Comm communicator() const { return MPI_COMM_WORLD; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool root() const { return rank_ == 0; }
  int local_rank() const { return local_rank_; }    ///< among the ranks of this node
  int local_ranks() const { return local_ranks_; }  ///< on this node
  int device() const { return device_; }            ///< its number; -1 on a host
  int ranks_on_device() const { return ranks_on_device_; }
  ThreadChoice const& threads() const { return threads_; }  ///< of this rank; on a device nothing
  ThreadWish const& wish() const { return wish_; }

  /// Limits every call in which this rank waits for others, from now on, to `timeout_s` seconds; the input
  /// file's allreduce.timeout_s. Where one takes longer, `overdue` gets a line that names the rank, the call
  /// and the step. It runs on another thread, while the rank's own thread stays in the call, and has to end
  /// the process. Until the first time the limit is call_limit_s, and the process ends with 4.
  void limit_calls(double timeout_s, std::function<void(std::string const&)> overdue) const;
  /// Keeps the present limit; the process then ends with 4.
  void limit_calls() const;
  static constexpr double call_limit_s = 300;
  /// Applies the limit to a call of MPI that the caller makes, for as long as the result lives. `call` is the
  /// name of the MPI function.
  CallWatch::Scope limited(char const* call) const { return {*watch_, call}; }
  /// The same for work that this rank asks a device for and waits for: a kernel that hangs would keep it for
  /// ever. Does nothing in a build for a host, where a pass of kernels may take longer than a call. No other
  /// call may be limited meanwhile.
  std::optional<CallWatch::Scope> limited_on_device() const;

  /// Makes a communicator of the ranks of this node, within the limit; the caller frees it. Collective.
  MPI_Comm split_by_node() const;

  /// Waits for all ranks; returns the seconds this one waited.
  double barrier() const;
  /// Each rank's values, rank by rank, on rank 0; empty elsewhere.
  std::vector<double> gather(std::vector<double> const& mine) const;
  std::vector<std::string> gather(std::string const& mine) const;
  double maximum(double mine) const;
  double sum(double mine) const;
  /// Rank 0's value, everywhere.
  void broadcast(std::vector<std::int64_t>& values) const;
  /// The same without a limit, for waiting on another program: a rank that waits sleeps, so that the core is
  /// free for that program.
  void broadcast_asleep(std::vector<std::int64_t>& values) const;

  /// Runs `action` on every rank; where it throws on any, all throw CollectiveError with the first such
  /// rank's message.
  void together(std::function<void()> const& action) const;

 private:
  /// First up, last down, also where a constructor throws.
  struct Mpi {
    Mpi(int& argc, char**& argv, int threads, std::optional<CallWatch>& watch);
    ~Mpi();  ///< ends MPI, within the limit where there is one
    std::optional<CallWatch>& watch;
  };
  std::vector<std::string> share_on_node(std::string text) const;
  void take_device(bool share);
  void take_cores(bool strict);

  mutable std::optional<CallWatch> watch_;  // outlives mpi_, whose end it watches
  mutable double timeout_s_ = call_limit_s;
  Mpi mpi_;
  int rank_ = 0, ranks_ = 1, local_rank_ = 0, local_ranks_ = 1;
  int device_ = -1, ranks_on_device_ = 1;
  ThreadWish wish_;
  ThreadChoice threads_;
};

/// The exit code and the text for an exception that is being handled.
CollectiveError describe_current_exception();

}  // namespace ddproxy
