// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/thread_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>

#include "miniapp/cores/placement.hpp"

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Get>
std::string range(std::vector<ThreadChoice> const& ranks, Get get) {
  const auto [low, high] = std::ranges::minmax_element(ranks, {}, get);
  const int least = std::invoke(get, *low), most = std::invoke(get, *high);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

std::string plural(std::string const& count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == "1" ? "" : "s");
}

// Returns the smallest CPU quota of a node.
double quota_of(std::vector<ThreadChoice> const& ranks) {
  return std::ranges::min_element(ranks, {}, &ThreadChoice::quota)->quota;
}

// Returns "2 cores" for a quota of 2, and "2.5 cores" for a quota of 2.5.
std::string cores_of(double quota) {
  return plural(fmt::format("{:.4g}", quota), "core");
}

// Returns the beginning of a line, which names the CPU quota. Returns an empty text if there is none.
std::string describe_quota(std::vector<ThreadChoice> const& ranks) {
  const double quota = quota_of(ranks);
  return quota < infinite ? fmt::format("the control group has a CPU quota of {}; ", cores_of(quota)) : "";
}

// Returns the advice to set a variable or option to at most `threads`.
std::string advice_to_set(std::string const& source, int threads) {
  return fmt::format("Set {} to {}{}, or leave it out", source, threads > 1 ? "at most " : "", threads);
}

// Says what is wrong and what to do if the threads of a rank exceed the CPU quota.
std::string complain_of_quota(ThreadChoice const& rank, ThreadWish const& wish) {
  const auto who =
      rank.node_ranks == 1 ? "the only rank" : fmt::format("each of the {} ranks", rank.node_ranks);
  const auto problem = fmt::format(
      "{} of a node computes with {}, and the CPU quota of the control group is {}: the operating system "
      "stops threads that exceed the quota, so the measured times are too long",
      who, plural(fmt::format("{}", rank.threads), "thread"), cores_of(rank.quota));
  if (rank.own > 0 && wish.threads > 0 && rank.quota >= 1)
    return fmt::format("{}. {}, or raise the quota", problem,
                       advice_to_set(wish.source, threads_for(rank.own)));
  if (rank.node_ranks == 1) return problem + ". Raise the quota to at least one core";
  return problem + ". Raise the quota to at least one core for each rank, or start fewer ranks on each node";
}

// Says how many cores a rank has, or how many ranks share them. `who` names the ranks, for instance "each of
// 2 ranks".
std::string describe_cores(std::vector<ThreadChoice> const& ranks, std::string const& who) {
  const auto allowed = range(ranks, &ThreadChoice::allowed), sharing = range(ranks, &ThreadChoice::sharing);
  const auto cores = plural(allowed, "core");
  if (sharing == "1" && quota_of(ranks) < infinite) return fmt::format("{} may run on {} and", who, cores);
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

std::string describe(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish) {
  const auto who = ranks.size() == 1 ? "the only rank" : fmt::format("each of {} ranks", ranks.size());
  const auto threads = range(ranks, &ThreadChoice::threads);
  return fmt::format("threads: {}{} computes with {}{}; {}", describe_quota(ranks),
                     describe_cores(ranks, who), plural(threads, "thread"),
                     wish.threads > 0 ? ", as " + wish.source + " says" : "",
                     describe_communication(ranks, threads));
}

std::string complain_of_threads(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish) {
  const auto worst = std::ranges::find_if(ranks, &ThreadChoice::oversubscribed);
  if (worst == ranks.end()) return {};
  if (worst->node_ranks * worst->threads > worst->quota) return complain_of_quota(*worst, wish);
  const auto ranks_here = plural(fmt::format("{}", worst->sharing), "rank");
  const auto place = fmt::format("{} of a node {} {}", ranks_here, worst->sharing == 1 ? "has" : "share",
                                 plural(fmt::format("{}", worst->allowed), "core"));
  constexpr auto effect = "the threads take turns on the cores, so the measured times are too long";
  if (worst->own == 0)
    return fmt::format("{}: {}. Start fewer ranks on each node, or bind them to more cores", place, effect);
  return fmt::format("{}, and each rank has {} ({}): {}. {}", place,
                     plural(fmt::format("{}", worst->threads), "thread"), wish.source, effect,
                     advice_to_set(wish.source, threads_for(worst->own)));
}

std::string complain_of_idle_cores(std::vector<ThreadChoice> const& ranks) {
  const auto idle = std::ranges::find_if(
      ranks, [](auto const& rank) { return 2 * rank.node_cores <= rank.launcher_cores; });
  if (idle == ranks.end()) return {};
  return fmt::format(
      "the launcher lets the {} of a node use {} of the {} cores that it has there, so compute takes longer "
      "than it could. "
      "Start the ranks with --bind-to none (Open MPI), or with a larger --cpus-per-task (SLURM)",
      idle->node_ranks == 1 ? "only rank" : fmt::format("{} ranks", idle->node_ranks), idle->node_cores,
      idle->launcher_cores);
}

}  // namespace ddproxy
