// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Notices when a call of the host does not come back: a thread that looks at the clock now and then, for
/// libraries that block without a time limit.
class CallWatch {
 public:
  /// `overdue` is called on the watch's own thread with what the call was for, once, when one takes longer
  /// than `timeout_s`: within an eighth of that, at most a second, later. While it runs, the thread that made
  /// the call cannot leave its Scope.
  CallWatch(double timeout_s, std::function<void(char const* what)> overdue);
  ~CallWatch();
  CallWatch(CallWatch const&) = delete;
  CallWatch& operator=(CallWatch const&) = delete;

  /// One call, for `what`, is watched for as long as this lives.
  class Scope {
   public:
    Scope(CallWatch& watch, char const* what) : watch_(watch) { watch_.note(what); }
    ~Scope() { watch_.note(nullptr); }
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

   private:
    CallWatch& watch_;
  };

 private:
  void note(char const* what);
  void look();

  const Clock::duration timeout_;
  std::function<void(char const*)> overdue_;
  std::mutex mutex_;
  std::condition_variable wake_;
  char const* what_ = nullptr;  // of the call under way; guarded by mutex_, as the next two
  Clock::time_point since_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace ddproxy
