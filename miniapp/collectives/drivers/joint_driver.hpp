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
  bool thread =
      true;  ///< a communication thread polls; if false, the compute side polls between tasks and in waits
  bool own_core = false;  ///< the communication thread has a core beside those that compute
};

/// Drives the engines of several lanes by polling them in turn.
///
/// Problem: if each lane had a thread, several threads would call MPI, which needs MPI_THREAD_MULTIPLE. Here
/// only one thread calls MPI, whatever the number of lanes.
///
/// Order of calls: CallQueue::begin() of each lane's queue, then post(), progress() and wait(), all from the
/// compute side.
///
/// A call of one lane may wait for a call of another lane. But no engine may block: the other engines would
/// make no progress meanwhile, and the blocked call may wait for another rank that waits for one of them.
class JointDriver {
 public:
  /// Takes one engine for each lane, and starts the communication thread if `polling` asks for it. Throws
  /// std::invalid_argument for an engine that blocks.
  JointDriver(std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling);
  ~JointDriver();
  JointDriver(JointDriver const&) = delete;
  JointDriver& operator=(JointDriver const&) = delete;

  std::size_t lanes() const { return queues_.size(); }
  CallQueue& queue(std::size_t lane) { return *queues_[lane]; }
  /// Posts one call or one group of calls of a lane, as CallQueue::post().
  void post(CallQueue& queue, std::span<const CollectiveCall> calls, Completion ready);
  /// Waits until `calls` calls of a lane are done since its begin(). Throws the error of any lane.
  void wait(CallQueue& queue, std::size_t calls);
  /// Polls the engines once, unless a communication thread does.
  void progress();
  bool has_thread() const { return polling_.thread; }

 private:
  bool advance();
  bool is_busy() const;
  void work();
  void poll_until_done();
  void fail();

  std::vector<std::unique_ptr<CallQueue>> queues_;  // [lane]
  JointPolling polling_;
  Bell work_, done_;
  std::atomic<bool> quit_{false}, failed_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // guarded by failure_mutex_
  std::thread thread_;          // the last member, because it uses the others
};

}  // namespace ddproxy
