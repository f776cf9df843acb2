// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/thread_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace ddproxy {
namespace {

bool meet(std::vector<int> const& a, std::vector<int> const& b) {
  return std::ranges::any_of(a, [&](int core) { return std::ranges::binary_search(b, core); });
}

ThreadChoice choose(std::vector<Seat> const& node, std::size_t rank, int granted, int share) {
  auto const& seat = node[rank];
  const auto sharing = std::ranges::count_if(
      node, [&](Seat const& other) { return &other == &seat || meet(other.allowed, seat.allowed); });
  const int threads = seat.wish > 0 ? seat.wish : threads_for(granted);
  return {threads, static_cast<int>(seat.allowed.size()), share, static_cast<int>(sharing), granted < threads,
          false};
}

template <class Get>
std::string range(std::vector<ThreadChoice> const& ranks, Get get) {
  const auto [low, high] = std::ranges::minmax_element(ranks, {}, get);
  const int least = std::invoke(get, *low), most = std::invoke(get, *high);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

std::string plural(std::string const& count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == "1" ? "" : "s");
}

// Says how many cores a rank has, or how many ranks share them. `who` names the ranks, for instance "each of
// 2 ranks".
std::string describe_cores(std::vector<ThreadChoice> const& ranks, std::string const& who) {
  const auto allowed = range(ranks, &ThreadChoice::allowed), sharing = range(ranks, &ThreadChoice::sharing);
  const auto cores = plural(allowed, "core");
  if (sharing == "1") return fmt::format("{} has {} of its own and", who, cores);
  const bool divided = std::ranges::all_of(ranks, &ThreadChoice::divided);
  return fmt::format("{} share {}{}; {}", plural(sharing, "rank"), cores,
                     divided ? ", and each rank is bound to its part of them" : "", who);
}

// Says where communication runs.
std::string describe_communication(std::vector<ThreadChoice> const& ranks, std::string const& threads) {
  const bool spare = std::ranges::all_of(ranks, [](auto const& r) { return r.own > r.threads; });
  if (spare)
    return ranks.size() == 1 ? "one core is left for communication"
                             : "one core of each rank is left for communication";
  return threads == "1" ? "communication runs on the core that also computes"
                        : "communication runs on the cores that also compute";
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

std::vector<ThreadChoice> choose_threads(std::vector<Seat> const& node) {
  auto without_wishes = node;
  for (auto& seat : without_wishes) seat.wish = 0;
  const auto granted = divide_cores(node), share = divide_cores(without_wishes);
  std::vector<ThreadChoice> choices;
  for (std::size_t rank = 0; rank < node.size(); ++rank)
    choices.push_back(choose(node, rank, granted[rank], share[rank]));
  return choices;
}

std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish) {
  const auto who = ranks.size() == 1 ? "the only rank" : fmt::format("each of {} ranks", ranks.size());
  const auto threads = range(ranks, &ThreadChoice::threads);
  return fmt::format("threads: {} computes with {}{}; {}", describe_cores(ranks, who),
                     plural(threads, "thread"), wish.threads > 0 ? ", as " + wish.source + " says" : "",
                     describe_communication(ranks, threads));
}

std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish) {
  const auto worst = std::ranges::find_if(ranks, &ThreadChoice::oversubscribed);
  if (worst == ranks.end()) return {};
  const auto ranks_here = plural(fmt::format("{}", worst->sharing), "rank");
  const auto place = fmt::format("{} of a node {} {}", ranks_here, worst->sharing == 1 ? "has" : "share",
                                 plural(fmt::format("{}", worst->allowed), "core"));
  constexpr auto effect = "the threads take turns on the cores, so the measured times are too long";
  if (worst->own == 0)
    return fmt::format("{}: {}. Start fewer ranks on each node, or bind them to more cores", place, effect);
  const int fits = threads_for(worst->own);
  return fmt::format("{}, and each rank has {} ({}): {}. {}", place,
                     plural(fmt::format("{}", worst->threads), "thread"), wish.source, effect,
                     fmt::format("Set {} to {} or less, or leave it out", wish.source, fits));
}

}  // namespace ddproxy
