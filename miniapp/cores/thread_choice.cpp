// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/thread_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>

#include "miniapp/cores/cpu_quota.hpp"

namespace ddproxy {
namespace {

bool meet(std::vector<int> const& a, std::vector<int> const& b) {
  return std::ranges::any_of(a, [&](int core) { return std::ranges::binary_search(b, core); });
}

int count_cores(std::vector<Seat> const& node) {
  std::set<int> cores;
  for (auto const& seat : node) cores.insert(seat.allowed.begin(), seat.allowed.end());
  return static_cast<int>(cores.size());
}

ThreadChoice choose(std::vector<Seat> const& node, std::size_t rank, int granted, int share, double quota) {
  auto const& seat = node[rank];
  const auto sharing = std::ranges::count_if(
      node, [&](Seat const& other) { return &other == &seat || meet(other.allowed, seat.allowed); });
  const int cores = count_cores(node);
  const int threads = seat.wish > 0 ? seat.wish : threads_for(granted);
  return {.threads = threads,
          .allowed = static_cast<int>(seat.allowed.size()),
          .own = share,
          .sharing = static_cast<int>(sharing),
          .oversubscribed = granted < threads || quota < 1,
          .node_ranks = static_cast<int>(node.size()),
          .node_cores = cores,
          .quota = quota < cores ? quota : std::numeric_limits<double>::infinity()};
}

}  // namespace

ThreadWish find_wish(int command_line, int input_file, Variables const& variable,
                     std::function<bool(char const*)> const& is_own) {
  if (command_line > 0) return {command_line, "--kokkos-num-threads"};
  for (char const* name : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"})
    if (char const* text = variable(name); text && !is_own(name))
      if (const int threads = std::atoi(text); threads > 0) return {threads, name};
  if (input_file > 0) return {input_file, "[machine] threads"};
  return {};
}

std::vector<ThreadChoice> choose_threads(std::vector<Seat> const& node, double quota) {
  auto without_wishes = node;
  for (auto& seat : without_wishes) seat.wish = 0;
  const int most = whole_cores(quota);
  const auto granted = divide_cores(node, most), share = divide_cores(without_wishes, most);
  std::vector<ThreadChoice> choices;
  for (std::size_t rank = 0; rank < node.size(); ++rank)
    choices.push_back(choose(node, rank, granted[rank], share[rank], quota));
  return choices;
}

}  // namespace ddproxy
