// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/node_cores.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>

#include "miniapp/cores/cpu_quota.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

// The data that each rank sends to the other ranks of its node.
struct RankCores {
  cpu_set_t allowed;
  int wish;
  double quota;
};

std::vector<int> numbers_of(cpu_set_t const& set) {
  std::vector<int> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cores.push_back(cpu);
  return cores;
}

// Returns a number that the kernel gives for a core, for instance its "core_id"; 0 if the kernel gives none.
int topology(int core, char const* what) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/" + what);
  int number = 0;
  return file >> number ? number : 0;
}

// Sorts cores by package, then by physical core, so that the hardware threads of a physical core are
// neighbours.
std::vector<int> by_topology(std::vector<int> const& cores) {
  std::vector<std::tuple<int, int, int>> keys;
  for (const int core : cores)
    keys.emplace_back(topology(core, "physical_package_id"), topology(core, "core_id"), core);
  std::ranges::sort(keys);
  std::vector<int> order;
  for (auto const& key : keys) order.push_back(std::get<2>(key));
  return order;
}

void keep_to(std::vector<int> const& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// The seats of all ranks of a node, the index of this rank's own seat, and the smallest CPU quota of a rank.
struct Node {
  std::vector<Seat> seats;
  std::size_t rank;
  double quota;
};

Node gather_seats(MPI_Comm node, RankCores const& mine) {
  int rank = 0, ranks = 1;
  check_mpi(MPI_Comm_rank(node, &rank));
  check_mpi(MPI_Comm_size(node, &ranks));
  std::vector<RankCores> all(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node));
  std::vector<Seat> seats;
  double quota = mine.quota;
  for (auto const& said : all) {
    seats.push_back({numbers_of(said.allowed), said.wish});
    quota = std::min(quota, said.quota);
  }
  return {std::move(seats), static_cast<std::size_t>(rank), quota};
}

}  // namespace

std::vector<int> allowed_cores(pid_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(pid, sizeof set, &set) != 0) return {};
  return numbers_of(set);
}

ThreadChoice agree_on_threads(MPI_Comm node, ThreadWish const& wish) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  const auto [seats, rank, quota] = gather_seats(node, {allowed, wish.threads, cpu_quota()});
  auto choice = choose_threads(seats, quota)[rank];
  const auto block = own_block(seats, rank, by_topology(seats[rank].allowed));
  keep_to(block);
  choice.divided = !block.empty();
  choice.launcher_cores = std::min(wish.launcher_cores, whole_cores(quota));
  return choice;
}

double core_share(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  const auto [seats, rank, quota] = gather_seats(node, {allowed_processors(), 0, cpu_quota()});
  check_mpi(MPI_Comm_free(&node));
  return core_share(seats, rank, quota);
}

}  // namespace ddproxy
