// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ddproxy {

/// One rank of a node: the cores that it may use and the threads that it wants. In this file, a core is a
/// processor on which the operating system schedules threads. So each hardware thread of a physical core
/// counts as one core.
struct Seat {
  std::vector<int> allowed;  ///< numbers of the cores that the rank may use, in ascending order
  int wish = 0;              ///< number of threads that the user asked for; 0: none
};

/// Divides the cores of a node between its ranks. Returns the number of cores that each rank has to itself,
/// [rank]. In each turn, every rank takes one free core that it may use. A rank with a wish takes at most one
/// core for each thread that it wants. Ranks without a wish that have the same allowed cores get equal
/// numbers. A rank that finds no free core gets 0. All ranks together get at most `most` cores.
std::vector<int> divide_cores(std::vector<Seat> const& node, int most = std::numeric_limits<int>::max());

/// Returns the number of cores that a rank may count as its own. Each core that k ranks may use counts 1/k
/// for each of them. So two ranks on the same two cores have one core each, and three ranks on them have 2/3
/// of a core each. If all ranks together may use more cores than the `quota`, the shares of all ranks are
/// reduced in proportion, so that their sum is the quota.
double core_share(std::vector<Seat> const& node, std::size_t rank,
                  double quota = std::numeric_limits<double>::infinity());

/// Returns the number of threads with which a rank computes if it has `own_cores` cores to itself. With up to
/// two cores there is a thread for each core. With more cores there is one thread fewer than there are cores,
/// so that a core is left for communication. The result is at least 1.
int threads_for(int own_cores);

/// Returns whether the compute threads occupy all cores of the rank, so that none is left for communication.
/// If so, idle compute threads should sleep.
bool leaves_no_core(int threads, int own_cores);

/// Returns the cores to which a rank is restricted if several ranks have the same allowed cores. Each of n
/// such ranks gets a block of 1/n of these cores, rounded down, in the order of the ranks. `order` lists the
/// cores in such an order that neighbours in the list share caches. Cores that are not in the list come last.
///
/// Returns an empty list in four cases: the rank shares no core; it shares a core with a rank that has other
/// allowed cores; more ranks share the cores than there are cores; one of these ranks wants more threads than
/// a block has cores.
std::vector<int> own_block(std::vector<Seat> const& node, std::size_t rank, std::vector<int> const& order);

/// Estimates the number of cores that a rank has to itself. The estimate is needed before MPI starts, when
/// ranks cannot yet tell each other their cores. `allowed` is the number of cores that this rank may use,
/// `of_launcher` the number of cores that the launcher's process may use, and `local_ranks` the number of
/// ranks on the node. All ranks of the node together may use at most `most` cores. The estimate assumes that
/// every rank may use as many cores as this rank.
int estimate_own_cores(int allowed, int of_launcher, int local_ranks,
                       int most = std::numeric_limits<int>::max());

}  // namespace ddproxy
