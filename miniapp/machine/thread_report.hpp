// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"
#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// The threads and cores with which the ranks compute, for the user and the results file.
struct ThreadReport {
  std::string line;                        ///< the choice of threads and its reason
  std::string second_start;                ///< the variables with which rank 0 started itself again, as
                                           ///< NAME=value; empty if it did not start itself again
  std::vector<std::string> warnings;       ///< one line each
  std::vector<double> threads, own_cores;  ///< [rank]
  std::optional<ThreadChoice> tightest;    ///< the rank with the smallest difference, own cores - threads
  bool oversubscribed = false;             ///< whether some rank has more threads than cores of its own
  bool spinning = false;                   ///< whether spins() is true for some rank
};

/// Returns whether a rank computes with several OpenMP threads that spin while they wait because no
/// environment variable says how they wait. Returns false if there is such a variable, also if it makes them
/// spin (OMP_WAIT_POLICY=active). `variable` reads the environment of the rank.
bool spins(ThreadChoice const& rank, Variables const& variable);

/// Gathers the threads and cores of all ranks. The report is complete on rank 0 only. In a build for a device
/// it is empty. Collective.
ThreadReport report_threads(Runtime const& runtime);

}  // namespace ddproxy
