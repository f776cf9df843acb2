// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace ddproxy {

/// A function that returns the value of an environment variable, or null if it is not set, as std::getenv
/// does.
using Variables = std::function<char const*(char const*)>;

/// The place of this process on its node, as the launcher describes it before MPI starts.
struct LocalRank {
  std::size_t rank = 0;   ///< number of this rank among the ranks of its node, from 0
  int ranks = 1;          ///< number of ranks on this node; 1 if no launcher gives it
  bool launched = false;  ///< whether a launcher started the process; if not, it is the only rank
};

/// Returns the place of this process. Reads the environment variables of Open MPI, of MPICH and Intel MPI, of
/// MVAPICH, of Cray's PMI and of SLURM, in this order. SLURM comes last, because every rank that mpirun
/// starts within a SLURM job has SLURM_LOCALID=0. Returns a default LocalRank if none of the variables is
/// set.
LocalRank find_local_rank(Variables const& variable);

}  // namespace ddproxy
