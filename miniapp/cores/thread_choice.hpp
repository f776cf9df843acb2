// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/cores/launch.hpp"
#include "miniapp/cores/placement.hpp"

namespace ddproxy {

/// A number of threads that somebody asked for.
struct ThreadWish {
  int threads = 0;     ///< 0: nobody did
  std::string source;  ///< who did, as the user wrote it, for instance "OMP_NUM_THREADS"
};

/// The first of: the command line, KOKKOS_NUM_THREADS, OMP_NUM_THREADS, the input file; 0 is none. A variable
/// for which `is_own` is true does not count: the program's first start set it.
ThreadWish find_wish(int command_line, int input_file, Variables const& variable,
                     std::function<bool(char const*)> const& is_own);

/// With how many threads a rank computes, and why.
struct ThreadChoice {
  int threads = 1;
  int allowed = 1;              ///< cores that the rank may use
  int own = 1;                  ///< its share of them: 0 where there are fewer than ranks
  int sharing = 1;              ///< ranks of the node that may use one of its cores, with itself
  bool oversubscribed = false;  ///< not each of its threads has a core
  bool divided = false;         ///< it keeps to its share of cores that other ranks may use
};

/// The choice of each rank of a node.
std::vector<ThreadChoice> choose_threads(std::vector<Seat> const& node);

/// One line for the user: the choices of all ranks.
std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

/// What is wrong where a rank is oversubscribed, with the cure; else empty. `ranks` are those of all nodes.
std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish);

}  // namespace ddproxy
