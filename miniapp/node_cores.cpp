// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/node_cores.hpp"

#include "miniapp/check.hpp"

namespace ddproxy {
namespace {

// What a rank tells the others.
struct Said {
  cpu_set_t allowed;
  int wish;
};

std::vector<int> numbers_of(cpu_set_t const& set) {
  std::vector<int> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cores.push_back(cpu);
  return cores;
}

}  // namespace

std::vector<int> allowed_cores(pid_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(pid, sizeof set, &set) != 0) return {};
  return numbers_of(set);
}

ThreadChoice agree_on_threads(MPI_Comm node, int wish) {
  int rank = 0, ranks = 1;
  check_mpi(MPI_Comm_rank(node, &rank));
  check_mpi(MPI_Comm_size(node, &ranks));
  Said mine{};
  sched_getaffinity(0, sizeof mine.allowed, &mine.allowed);
  mine.wish = wish;
  std::vector<Said> all(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node));
  std::vector<Seat> seats;
  for (auto const& said : all) seats.push_back({numbers_of(said.allowed), said.wish});
  return choose_threads(seats)[static_cast<std::size_t>(rank)];
}

}  // namespace ddproxy
