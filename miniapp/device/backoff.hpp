// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// Sleeps until the moment, waking as little late as the kernel allows without burning the core; returns at
/// once where it is over.
void sleep_until(Clock::time_point moment);

/// Waits between two tests of something that is under way: a yield while it is young, then sleeps that grow
/// with its age, so that waiting neither burns a core that compute needs nor adds more than an eighth to what
/// is waited for.
class Backoff {
 public:
  void operator()();

 private:
  Clock::time_point born_ = Clock::now();
};

}  // namespace ddproxy
