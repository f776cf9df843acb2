// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Detects a call of a library that does not return within a time limit.
///
/// Problem: MPI, NCCL and device libraries block without a time limit. If one rank stops, the others wait for
/// ever. A CallWatch therefore has a thread of its own, which looks at the clock while a call is in progress.
///
/// Order of calls: construct one CallWatch, then a Scope around each call. Scopes must not overlap: the watch
/// knows one call at a time. When `overdue` has returned, the thread of the watch ends, and later calls are
/// not watched.
class CallWatch {
 public:
  /// Starts the watch. If a call takes longer than `timeout_s` seconds, `overdue` is called once, on the
  /// watch's thread, with the text `what` of the call's Scope. The watch looks at the clock once in each
  /// period. A period is timeout_s / 8, but at least 1 ms and at most 1 s. So `overdue` is called at most one
  /// period after the time limit. While `overdue` runs, the thread that made the call cannot leave its Scope.
  CallWatch(double timeout_s, std::function<void(char const* what)> overdue);
  ~CallWatch();
  CallWatch(CallWatch const&) = delete;
  CallWatch& operator=(CallWatch const&) = delete;

  /// Watches one call for as long as the Scope lives. `what` names the call. The text is not copied, so it
  /// must outlive the Scope.
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
  char const* what_ = nullptr;  // name of the call in progress; mutex_ guards this and the next two members
  Clock::time_point since_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace ddproxy
