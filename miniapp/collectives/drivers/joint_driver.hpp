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
  /// true: a communication thread polls; false: the compute side polls between tasks and in waits.
  bool thread = true;
  bool own_core = false;  ///< the communication thread has a core that no compute thread uses
};

/// Drives the engines of several lanes by polling them in turn.
///
/// Problem: if each lane had a thread, several threads would call MPI, which needs MPI_THREAD_MULTIPLE. Here
/// only one thread calls MPI, whatever the number of lanes.
///
/// Order of calls, all from the compute side: CallQueue::begin() of each lane's queue, then post(),
/// progress() and wait().
///
/// A call of one lane may wait for a call of another lane. But an engine must not block: while it blocks, the
/// other engines make no progress. A deadlock is then possible: the blocked call waits for another rank, and
/// that rank waits for a call of one of the other engines.
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
  /// Posts one call or one group of calls of a lane, as CallQueue::post() does. Then polls the engines once
  /// if there is no communication thread. Throws as CallQueue::post() does, and as progress() does.
  void post(CallQueue& queue, std::span<const CollectiveCall> calls, Completion ready);
  /// Waits until the first `calls` calls since CallQueue::begin() are done. Throws the error of any lane.
  void wait(CallQueue& queue, std::size_t calls);
  /// Polls the engines once if there is no communication thread, and throws the error of any lane. Otherwise
  /// does nothing.
  void progress();
  bool has_thread() const { return polling_.thread; }

 private:
  bool advance();
  bool begin_calls();
  bool is_busy() const;
  void wait_for_next_poll(Clock::time_point last) const;
  void work();
  void poll_until_done();
  void fail();

  std::vector<std::unique_ptr<CallQueue>> queues_;  // [lane]
  JointPolling polling_;
  Bell work_, done_;
  std::atomic<bool> quit_{false}, failed_{false};
  std::atomic<bool> compute_waits_{false};  // the compute side is in wait()
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // guarded by failure_mutex_
  std::thread thread_;          // the last member, because it uses the others
};

}  // namespace ddproxy
