// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "miniapp/cores/launch.hpp"
#include "miniapp/cores/placement.hpp"

namespace ddproxy {

/// A number of threads for which the user asked.
struct ThreadWish {
  int threads = 0;     ///< 0: the user asked for none
  std::string source;  ///< where the user asked for it, in the user's words, for instance "OMP_NUM_THREADS"
  /// Number of cores that the launcher may use. 0: no warning if cores stay idle; prepare_rank.hpp says when
  /// the number is 0.
  int launcher_cores = 0;
};

/// Returns the user's wish: the first number of threads above 0 among `command_line`, KOKKOS_NUM_THREADS,
/// OMP_NUM_THREADS and `input_file`, in this order. Returns no wish if all are 0 or not set. A variable for
/// which `is_own` returns true is ignored, because the program has set it before it started itself again
/// (miniapp/cores/restart.hpp).
ThreadWish find_wish(int command_line, int input_file, Variables const& variable,
                     std::function<bool(char const*)> const& is_own);

/// The number of threads with which a rank computes, and the cores on which that choice is based.
struct ThreadChoice {
  int threads = 1;
  int allowed = 1;  ///< number of cores that the rank may use
  int own = 1;      ///< cores that it would have to itself without any wish; 0: too few cores for all ranks
  int sharing = 1;  ///< number of ranks of the node, itself included, that may use at least one of its cores
  /// Whether the rank has more threads than divide_cores() gives it cores. divide_cores() takes the wishes
  /// of all ranks and the CPU quota into account. Also true if the quota is below one core.
  bool oversubscribed = false;
  bool divided = false;    ///< whether it shares cores, and is bound to its own_block() of them
  int node_ranks = 1;      ///< number of ranks on its node
  int node_cores = 1;      ///< number of cores that the ranks of its node may use together
  int launcher_cores = 0;  ///< ThreadWish::launcher_cores, at most the whole cores of the CPU quota
  /// CPU quota of the ranks of its node together, in cores (miniapp/cores/cpu_quota.hpp). Infinity if there
  /// is no quota below node_cores.
  double quota = std::numeric_limits<double>::infinity();
};

/// Returns the choice of each rank of a node. ThreadChoice::divided and launcher_cores have their defaults;
/// agree_on_threads() assigns them. The ranks together get at most as many cores as the CPU quota `quota`. A
/// quota below one core makes every rank oversubscribed.
std::vector<ThreadChoice> choose_threads(std::vector<Seat> const& node,
                                         double quota = std::numeric_limits<double>::infinity());

}  // namespace ddproxy
