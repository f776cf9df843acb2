// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Tells the processor that this thread spins.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Lets one thread wait for a condition that other threads make true.
///
/// Problem: waking up a sleeping thread takes microseconds and a system call. So a waiting thread spins for a
/// while before it sleeps. With Spin::keep, ring() makes a system call only if a thread sleeps.
///
/// Order of calls: one thread calls wait(). Another thread changes what the condition reads, and then calls
/// ring(). Only one thread may wait at a time.
class Bell {
 public:
  /// What a spinning thread does between two tests of the condition.
  enum class Spin {
    keep,   ///< keeps its core, because no other thread needs it
    yield,  ///< yields its core, because another thread needs it
  };

  /// Takes the time for which wait() spins before it sleeps, and what the thread does while it spins.
  Bell(Clock::duration spin_time, Spin spin) : spin_time_(spin_time), spin_(spin) {}

  /// Wakes up the waiting thread if it sleeps. If the waiting thread spins and yields its core, ring() yields
  /// the core of the calling thread. Without this yield the waiting thread would get the core only at the end
  /// of the caller's time slice, which lasts milliseconds.
  void ring() {
    rings_.fetch_add(1);
    if (sleepers_.load() > 0)
      wake();
    else if (yielding_.load() > 0)
      sched_yield();
  }

  /// Waits until `over()` returns true, and does not call it again after that. `over` must use atomics only,
  /// because it runs without a lock.
  template <class Over>
  void wait(Over const& over) {
    if (spin_until(over)) return;
    sleepers_.fetch_add(1);
    for (auto rings = rings_.load(); !over(); rings = rings_.load()) sleep_unless_rung(rings);
    sleepers_.fetch_sub(1);
  }

 private:
  template <class Over>
  bool spin_until(Over const& over) {
    const auto end = Clock::now() + spin_time_;
    if (spin_ == Spin::keep) {
      for (; Clock::now() < end; relax())
        if (over()) return true;
      return false;
    }
    yielding_.fetch_add(1);
    bool is_over = over();
    for (; !is_over && Clock::now() < end; is_over = over()) sched_yield();
    yielding_.fetch_sub(1);
    return is_over;
  }

  // Calls the operating system directly. The wait functions of std::atomic first yield a few times, and a
  // yield may give the core to another program.
  void sleep_unless_rung(std::uint32_t rings) {
    syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, rings, nullptr, nullptr, 0);
  }
  void wake() { syscall(SYS_futex, &rings_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

  Clock::duration spin_time_;
  Spin spin_;
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<int> sleepers_{0}, yielding_{0};
};

}  // namespace ddproxy
