// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/core_share.hpp"

#include <vector>

#include "miniapp/cores/pinning.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {

double core_share(MPI_Comm communicator) {
  const std::vector<int> mine = allowed_processors();
  std::vector<int> users(mine.size());
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check_mpi(MPI_Allreduce(mine.data(), users.data(), static_cast<int>(mine.size()), MPI_INT, MPI_SUM, node));
  check_mpi(MPI_Comm_free(&node));
  double share = 0;
  for (std::size_t cpu = 0; cpu < mine.size(); ++cpu)
    if (mine[cpu] > 0) share += 1.0 / users[cpu];
  return share;
}

}  // namespace ddproxy
