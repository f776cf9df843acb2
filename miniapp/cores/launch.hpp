// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace ddproxy {

/// Looks up an environment variable, as std::getenv does.
using Variables = std::function<char const*(char const*)>;

/// What the launcher says of this process before MPI is up.
struct LocalRank {
  std::size_t rank = 0;   ///< among the ranks of this node
  int ranks = 1;          ///< of this node; 1 where no launcher says more
  bool launched = false;  ///< by a launcher; else the process is the only rank
};

/// Reads the variables of Open MPI, MPICH and Intel MPI, MVAPICH, Cray's PMI and SLURM, in this order: what
/// mpirun starts within a job of SLURM has SLURM_LOCALID=0 on every rank.
LocalRank find_local_rank(Variables const& variable);

}  // namespace ddproxy
