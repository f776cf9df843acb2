// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/cores/thread_choice.hpp"

// What users read about the threads and cores of the ranks.
namespace ddproxy {

/// Returns one line of text for users, which describes the choices of all ranks. If the user asked for a
/// number of threads, the line names the place (`wish.source`) as the reason for the number.
std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// Returns a message if a rank is oversubscribed. The message says what is wrong and what to do. Returns an
/// empty text if no rank is oversubscribed. `ranks` has the ranks of all nodes.
std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// Returns a message if the ranks of a node may use at most half of the cores that their launcher may use
/// (ThreadChoice::launcher_cores). The message says how many cores the ranks may use and what to do. Returns
/// an empty text if there is no such node, or if launcher_cores is 0. `ranks` has the ranks of all nodes.
std::string complain_of_idle_cores(std::vector<ThreadChoice> const& ranks);

}  // namespace ddproxy
