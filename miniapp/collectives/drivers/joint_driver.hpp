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

/// Who polls the engines of several lanes.
struct JointPolling {
  bool thread =
      true;  ///< a communication thread; else the compute side, between two tasks and where it waits
  bool own_core = false;  ///< the thread has a core beside those that compute
};

/// Drives several engines by polling them in turn, so that one thread alone calls MPI however many lanes a
/// rank has. A call of one lane may wait for one of another lane. No engine may block: while it did, the
/// others would stand still, on other ranks those that this one waits for.
class JointDriver {
 public:
  /// Throws std::invalid_argument for an engine that blocks.
  JointDriver(std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling);
  ~JointDriver();
  JointDriver(JointDriver const&) = delete;
  JointDriver& operator=(JointDriver const&) = delete;

  std::size_t lanes() const { return queues_.size(); }
  CallQueue& queue(std::size_t lane) { return *queues_[lane]; }
  void post(CallQueue& queue, std::span<const CollectiveCall> calls, Completion ready);
  /// Waits until so many calls of a lane are done since its begin(). Throws what went wrong on any lane.
  void wait(CallQueue& queue, std::size_t calls);
  /// The compute side offers a moment.
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
  std::thread thread_;          // the last: it uses the others
};

}  // namespace ddproxy
