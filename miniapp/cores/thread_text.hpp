// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"

// What users read about the threads and cores of the ranks.
namespace ddproxy {

/// Returns one line of text for users, which describes the choices of all ranks. If there is a `wish`, the
/// line gives it as the reason.
std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// Returns a message that says what is wrong and what to do if a rank is oversubscribed. Returns an empty
/// text if no rank is oversubscribed. `ranks` has the ranks of all nodes.
std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// Returns a message that says how many cores of a node stay idle, and what to do, if a launcher gives the
/// ranks of a node at most half of its cores. Returns an empty text if no node has such ranks, or if
/// ThreadChoice::launcher_cores is 0. `ranks` has the ranks of all nodes.
std::string complain_of_idle_cores(std::vector<ThreadChoice> const& ranks);

}  // namespace ddproxy
