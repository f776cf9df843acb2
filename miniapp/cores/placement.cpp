// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ddproxy {
namespace {

// The cores that no rank has taken yet, and the number of ranks that may use each of them.
using Free = std::map<int, int>;

Free count_users(std::vector<Seat> const& node) {
  Free users;
  for (auto const& seat : node)
    for (int core : seat.allowed) ++users[core];
  return users;
}

// Takes a free core of those that the seat allows: the one that the fewest ranks may use. Returns false if no
// allowed core is free.
bool take_core(Seat const& seat, Free& free) {
  auto best = free.end();
  for (int core : seat.allowed)
    if (const auto found = free.find(core);
        found != free.end() && (best == free.end() || found->second < best->second))
      best = found;
  if (best == free.end()) return false;
  free.erase(best);
  return true;
}

// Returns the order in which the ranks take cores: ranks with the fewest allowed cores come first.
std::vector<std::size_t> order_of(std::vector<Seat> const& node) {
  std::vector<std::size_t> order(node.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t rank) { return std::pair(node[rank].allowed.size(), rank); });
  return order;
}

// own[rank] is the number of cores that a rank gets for itself. Makes this number equal for ranks that have
// the same allowed cores and did not ask for a number: all of them get the smallest of their numbers.
void equalise(std::vector<Seat> const& node, std::vector<int>& own) {
  std::map<std::vector<int>, int> least;
  for (std::size_t rank = 0; rank < node.size(); ++rank)
    if (node[rank].wish == 0) {
      const auto [found, first] = least.emplace(node[rank].allowed, own[rank]);
      if (!first) found->second = std::min(found->second, own[rank]);
    }
  for (std::size_t rank = 0; rank < node.size(); ++rank)
    if (node[rank].wish == 0) own[rank] = least[node[rank].allowed];
}

bool share_a_core(Seat const& a, Seat const& b) {
  return std::ranges::any_of(a.allowed,
                             [&](int core) { return std::ranges::find(b.allowed, core) != b.allowed.end(); });
}

// Sorts the cores by their place in `order`. Cores that are not in `order` come last, by number.
std::vector<int> in_order(std::vector<int> cores, std::vector<int> const& order) {
  std::ranges::sort(
      cores, {}, [&](int core) { return std::pair(std::ranges::find(order, core) - order.begin(), core); });
  return cores;
}

}  // namespace

std::vector<int> own_block(std::vector<Seat> const& node, std::size_t rank, std::vector<int> const& order) {
  auto const& mine = node[rank];
  std::size_t sharing = 0, place = 0;
  int most_threads = 0;
  for (std::size_t other = 0; other < node.size(); ++other) {
    if (!share_a_core(mine, node[other])) continue;
    if (node[other].allowed != mine.allowed) return {};
    place += other < rank;
    ++sharing;
    most_threads = std::max(most_threads, node[other].wish);
  }
  const std::size_t size = sharing < 2 ? 0 : mine.allowed.size() / sharing;
  if (size == 0 || most_threads > static_cast<int>(size)) return {};
  const auto cores = in_order(mine.allowed, order);
  const auto first = cores.begin() + static_cast<std::ptrdiff_t>(place * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

std::vector<int> divide_cores(std::vector<Seat> const& node, int most) {
  std::vector<int> own(node.size(), 0);
  Free free = count_users(node);
  const auto order = order_of(node);
  for (bool taken = true; taken;) {
    taken = false;
    for (std::size_t rank : order) {
      const bool content = node[rank].wish > 0 && own[rank] >= node[rank].wish;
      if (content || most == 0 || !take_core(node[rank], free)) continue;
      ++own[rank];
      --most;
      taken = true;
    }
  }
  equalise(node, own);
  return own;
}

double core_share(std::vector<Seat> const& node, std::size_t rank, double quota) {
  const auto users = count_users(node);
  double share = 0;
  for (const int core : node[rank].allowed) share += 1.0 / users.at(core);
  return share * std::min(1.0, quota / static_cast<double>(users.size()));
}

int threads_for(int own_cores) {
  return own_cores >= 3 ? own_cores - 1 : std::max(own_cores, 1);
}

bool leaves_no_core(int threads, int own_cores) {
  return threads >= own_cores;
}

int estimate_own_cores(int allowed, int of_launcher, int local_ranks, int most) {
  const int cores = std::max(allowed, of_launcher);
  const int sharing = (local_ranks * allowed + cores - 1) / cores;  // ranks on the same cores, rounded up
  return std::min(allowed / std::max(sharing, 1), most / std::max(local_ranks, 1));
}

}  // namespace ddproxy
