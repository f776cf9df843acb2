// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "miniapp/collectives/drivers/bell.hpp"
#include "miniapp/collectives/drivers/call_queue.hpp"

namespace ddproxy {

/// Which thread polls the engines of several lanes.
struct JointPolling {
  /// true: a communication thread polls; if it shares its core, the compute side polls, too, while it waits.
  /// false: only the compute side polls, between tasks and in waits.
  bool thread = true;
  bool own_core = false;  ///< the communication thread has a core that no compute thread uses
};

/// Drives the engines of several lanes by polling them in turn.
///
/// Problem: if each lane had a thread, several threads would call MPI at the same time, which needs
/// MPI_THREAD_MULTIPLE. Here one thread at a time calls MPI, whatever the number of lanes.
///
/// If the communication thread shares a core with the compute side, handing calls over takes two thread
/// switches. So post() hands nothing over, and progress() hands the posted calls over before the compute side
/// computes. If the compute side waits instead, wait() polls the engines itself, unless the communication
/// thread polls them already. LaneWorker (lane_worker.hpp) does the same for one lane.
///
/// Order of calls, all from the compute side: CallQueue::begin() of each lane's queue, then post(),
/// progress() and wait().
///
/// A collective of one lane may wait for a collective of another lane. But an engine must not block: while it
/// blocks, the other engines make no progress. A deadlock is then possible: the blocked collective waits for
/// another rank, and that rank waits for a collective of one of the other engines.
class JointDriver {
 public:
  /// Takes one engine for each lane, and starts the communication thread if `polling` asks for one. Throws
  /// std::invalid_argument if an engine may block (CollectiveEngine::unwatched_limit_s()).
  JointDriver(std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling);
  ~JointDriver();
  JointDriver(JointDriver const&) = delete;
  JointDriver& operator=(JointDriver const&) = delete;

  std::size_t lanes() const { return queues_.size(); }
  CallQueue& queue(std::size_t lane) { return *queues_[lane]; }
  /// Posts one collective call or one group of them, as CallQueue::post() does. Then hands it over to a
  /// communication thread that has its own core, or polls the engines once if there is no communication
  /// thread. Throws as CallQueue::post() does, and as progress() does.
  void post(CallQueue& queue, std::span<const CollectiveCall> calls, Completion ready);
  /// Waits until the first `calls` calls since CallQueue::begin() are done. Throws the error of any lane.
  void wait(CallQueue& queue, std::size_t calls);
  /// Polls the engines once if there is no communication thread, and throws the error of any lane. Hands the
  /// posted calls over to the communication thread if post() did not.
  void progress();
  bool has_thread() const { return polling_.thread; }

 private:
  bool shares_core() const { return polling_.thread && !polling_.own_core; }
  bool core_is_free() const { return polling_.own_core || compute_waits_; }
  bool advance();
  bool begin_calls();
  bool is_busy() const;
  bool take();
  template <class More>
  void poll_while(More const& more);
  bool poll_here(CallQueue const& queue, std::size_t calls);
  void wait_for_next_poll(Clock::time_point last) const;
  void work();
  void fail();

  std::vector<std::unique_ptr<CallQueue>> queues_;  // [lane]
  JointPolling polling_;
  Bell work_, done_;
  std::atomic<bool> quit_{false}, failed_{false};
  std::atomic<bool> compute_waits_{false};  // the compute side is in wait()
  // true: a thread has claimed the engines. It alone may poll them. Only used if there is a communication
  // thread.
  std::atomic<bool> driven_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // guarded by failure_mutex_
  std::thread thread_;          // the last member, because it uses the others
};

}  // namespace ddproxy
