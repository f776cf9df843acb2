// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/launch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ddproxy {
namespace {

struct Names {
  char const *rank, *ranks;
};

constexpr std::array<Names, 4> launchers{{{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                          {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                          {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                          {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"}}};

int number(char const* text, int fallback) {
  return text ? std::atoi(text) : fallback;
}

// Returns the number of tasks of a SLURM step on the node with number `node`, counted from 0. SLURM writes
// "4(x2),1" for two nodes with four tasks each and a third node with one. Returns 1 if `text` has no such
// node.
int tasks_of_node(std::string_view text, int node) {
  while (!text.empty()) {
    const auto entry = text.substr(0, text.find(','));
    const auto repeats = entry.find("(x");
    const int nodes = repeats == entry.npos ? 1 : std::atoi(std::string(entry.substr(repeats + 2)).c_str());
    if (node < nodes) return std::atoi(std::string(entry).c_str());
    node -= nodes;
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
  }
  return 1;
}

}  // namespace

LocalRank find_local_rank(Variables const& variable) {
  for (auto const& names : launchers)
    if (char const* rank = variable(names.rank))
      return {static_cast<std::size_t>(std::max(number(rank, 0), 0)),
              std::max(number(variable(names.ranks), 1), 1), true};
  if (char const* rank = variable("SLURM_LOCALID")) {
    char const* tasks = variable("SLURM_STEP_TASKS_PER_NODE");
    const int node = std::max(number(variable("SLURM_NODEID"), 0), 0);
    return {static_cast<std::size_t>(std::max(number(rank, 0), 0)),
            std::max(tasks ? tasks_of_node(tasks, node) : 1, 1), true};
  }
  return {};
}

}  // namespace ddproxy
