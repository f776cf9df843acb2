// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy {

/// A rank of a node, as the division of cores sees it. A core is here a processor on which the kernel
/// schedules threads. So each hardware thread of a physical core counts as one core.
struct Seat {
  std::vector<int> allowed;  ///< numbers of the cores that the rank may use, in ascending order
  int wish = 0;              ///< number of threads that the user asked for; 0: none
};

/// Divides the cores of a node between its ranks. Returns the number of cores that each rank has to itself.
/// The ranks take one core each in turns, out of the cores that they may use. A rank with a wish takes at
/// most as many cores as it wants threads. Ranks without a wish that have the same allowed cores get equal
/// numbers. A rank that finds no free core gets 0.
std::vector<int> divide_cores(std::vector<Seat> const& node);

/// Returns the number of cores that a rank may count as its own. It adds up the cores that the rank may use,
/// each divided by the number of ranks that may use it. So two ranks on the same two cores have one core
/// each, and three ranks on them have 2/3 of a core each.
double core_share(std::vector<Seat> const& node, std::size_t rank);

/// Returns the number of threads with which a rank computes if it has `own_cores` cores to itself: all of
/// them if there are one or two, and one less if there are more, so that a core is left for communication.
/// The result is at least 1.
int threads_for(int own_cores);

/// Returns whether the compute threads leave no core to the communication thread. Idle threads should then
/// sleep.
bool leaves_no_core(int threads, int own_cores);

/// Returns the cores to which a rank is restricted if ranks with the same allowed cores share them. Each of n
/// such ranks gets the next block of 1/n of the cores, rounded down. `order` lists cores so that neighbours
/// share caches. Cores that it does not contain come last.
///
/// Returns an empty list in four cases: the rank shares no core; two ranks that share a core have different
/// allowed cores; there are fewer cores than ranks; one of the ranks wants more threads than its block has
/// cores.
std::vector<int> own_block(std::vector<Seat> const& node, std::size_t rank, std::vector<int> const& order);

/// Estimates the number of cores that a rank has to itself, for the time before MPI starts. The rank then
/// knows only the number of cores that it may use (`allowed`), the number that the process of its launcher
/// may use (`of_launcher`), and the number of ranks of the node (`local_ranks`). The estimate assumes that
/// all ranks are placed alike.
int estimate_own_cores(int allowed, int of_launcher, int local_ranks);

}  // namespace ddproxy
