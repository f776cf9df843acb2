// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "miniapp/completion.hpp"

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
/// one that waits spins for a while, if it has a core to itself, and then sleeps. A ring that nobody sleeps
/// for costs no call of the operating system.
class Bell {
 public:
  /// `spin`: how long a wait spins before it sleeps; 0 where other threads need the core.
  explicit Bell(Clock::duration spin) : spin_(spin) {}

  void ring() {
    rings_.fetch_add(1);
    if (sleepers_.load() > 0) wake();
  }

  /// Returns when `over()` is true. `over` reads atomics only.
  template <class Over>
  void wait(Over const& over) {
    if (spin_ > Clock::duration::zero())
      for (const auto end = Clock::now() + spin_; Clock::now() < end;)
        for (int turn = 0; turn < 16; ++turn, relax())
          if (over()) return;
    sleepers_.fetch_add(1);
    for (auto rings = rings_.load(); !over(); rings = rings_.load()) sleep_unless_rung(rings);
    sleepers_.fetch_sub(1);
  }

 private:
  // The kernel's own calls: std::atomic's yield a few times first, and give the core to any other program.
  void sleep_unless_rung(std::uint32_t rings) {
    syscall(SYS_futex, &rings_, FUTEX_WAIT_PRIVATE, rings, nullptr, nullptr, 0);
  }
  void wake() { syscall(SYS_futex, &rings_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

  Clock::duration spin_;
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<int> sleepers_{0};
};

}  // namespace ddproxy
