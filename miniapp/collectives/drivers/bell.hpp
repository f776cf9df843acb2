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

/// One thread waits for a condition that other threads make true; whoever may have made it true rings. The
/// one that waits spins for a while and then sleeps. A ring that nobody sleeps for costs no call of the
/// operating system, and no wake-up.
class Bell {
 public:
  /// What a waiting thread does with its core between two looks at the condition.
  enum class Spin {
    keep,   ///< the thread has a core to itself
    yield,  ///< another thread needs the core: it runs in between
  };

  /// `spin_time`: how long a wait spins before it sleeps.
  Bell(Clock::duration spin_time, Spin spin) : spin_time_(spin_time), spin_(spin) {}

  /// A thread that sleeps is woken up. One that yields gets the core of the thread that rings: it would
  /// otherwise wait for the end of that thread's time slice, milliseconds.
  void ring() {
    rings_.fetch_add(1);
    if (sleepers_.load() > 0)
      wake();
    else if (yielding_.load() > 0)
      sched_yield();
  }

  /// Returns when `over()` is true. `over` reads atomics only.
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

  // The kernel's own calls: std::atomic's yield a few times first, and give the core to any other program.
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
