// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/cores/launch.hpp"
#include "miniapp/cores/placement.hpp"

namespace ddproxy {

/// A number of threads for which the user asked.
struct ThreadWish {
  int threads = 0;     ///< 0: the user asked for none
  std::string source;  ///< where the user asked for it, in the user's words, for instance "OMP_NUM_THREADS"
};

/// Returns the first number of threads above 0 among `command_line`, KOKKOS_NUM_THREADS, OMP_NUM_THREADS and
/// `input_file`; no wish if all are 0 or not set. A variable for which `is_own` returns true is ignored,
/// because the program's first start set it.
ThreadWish find_wish(int command_line, int input_file, Variables const& variable,
                     std::function<bool(char const*)> const& is_own);

/// The number of threads with which a rank computes, and the cores on which that choice is based.
struct ThreadChoice {
  int threads = 1;
  int allowed = 1;  ///< number of cores that the rank may use
  int own = 1;      ///< its share of them without any wishes; 0 if there are fewer cores than ranks
  int sharing = 1;  ///< number of ranks of the node that may use one of its cores, including itself
  bool oversubscribed = false;  ///< some of its threads have no core of their own
  bool divided = false;         ///< restricted to its share of cores that other ranks may use, too
};

/// Returns the choice of each rank of a node. ThreadChoice::divided is false; agree_on_threads() assigns it.
std::vector<ThreadChoice> choose_threads(std::vector<Seat> const& node);

/// Returns one line for the user that describes the choices of all ranks. `wish` is the reason that the line
/// gives.
std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// Returns what is wrong and what to do if a rank is oversubscribed; an empty text if none is. `ranks` holds
/// the ranks of all nodes.
std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

}  // namespace ddproxy
