// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy {

/// One rank of a node: the processors that it may use, by number, and the threads that it was told to compute
/// with, 0 where nobody said a number. A processor is what the kernel schedules threads on, called a core
/// here.
struct Seat {
  std::vector<int> allowed;
  int wish = 0;
};

/// Divides the cores of a node between its ranks: the cores that each has to itself, rank by rank. The ranks
/// take cores in turns, each from those that it may use; a rank with a wish takes no more than that. Ranks
/// with the same allowed cores and no wish get equally many. A rank that finds none left gets 0.
std::vector<int> divide_cores(std::vector<Seat> const& node);

/// Cores that a rank may count as its own: each that it may use, divided by the number of ranks that may use
/// it. Two ranks on the same two cores have one each, three have two thirds.
double core_share(std::vector<Seat> const& node, std::size_t rank);

/// Threads with which a rank computes that has so many cores to itself: one core less where there are three
/// or more, for communication; at least one.
int threads_for(int own_cores);

/// Whether the threads that compute leave no core to the communication thread. Then idle threads should
/// sleep.
bool leaves_no_core(int threads, int own_cores);

/// The cores that a rank keeps to, where ranks with the same allowed cores share them: each of n such ranks
/// takes the next block of a n-th of `order`, which lists cores so that neighbours share caches (cores it
/// does not name come last). Empty where the rank shares no core, where the ranks that share one may not use
/// the same cores, where there are fewer cores than ranks, or where a rank of them wants more threads than
/// its block has cores.
std::vector<int> own_block(std::vector<Seat> const& node, std::size_t rank, std::vector<int> const& order);

/// The same division before MPI is up, where a rank knows only its own allowed cores, those of the launcher
/// that started it, and how many ranks the node has. It takes all ranks to be placed alike.
int estimate_own_cores(int allowed, int of_launcher, int local_ranks);

}  // namespace ddproxy
