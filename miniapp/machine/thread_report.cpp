// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/thread_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "miniapp/cores/restart.hpp"
#include "miniapp/cores/settings.hpp"
#include "miniapp/cores/thread_text.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {
namespace {

constexpr std::size_t fields = 10;  // numbers that represent one ThreadChoice

std::vector<ThreadChoice> gather_choices(Runtime const& runtime) {
  auto const& mine = runtime.threads();
  const std::vector<double> own{static_cast<double>(mine.threads),
                                static_cast<double>(mine.allowed),
                                static_cast<double>(mine.own),
                                static_cast<double>(mine.sharing),
                                static_cast<double>(mine.oversubscribed),
                                static_cast<double>(mine.divided),
                                static_cast<double>(mine.node_ranks),
                                static_cast<double>(mine.node_cores),
                                static_cast<double>(mine.launcher_cores),
                                mine.quota};
  const auto all = runtime.gather(own);
  std::vector<ThreadChoice> choices;
  for (std::size_t at = 0; at < all.size(); at += fields) {
    const auto value = [&](std::size_t field) { return static_cast<int>(all[at + field]); };
    choices.push_back(ThreadChoice{value(0), value(1), value(2), value(3), value(4) != 0, value(5) != 0,
                                   value(6), value(7), value(8), all[at + 9]});
  }
  return choices;
}

char const* variable_here(char const* name) {
  return std::getenv(name);
}

// Returns whether OpenMP binds the threads of several ranks to the same cores. If OMP_PROC_BIND is set to
// anything but false, OpenMP binds the threads of each rank to the first cores that the rank may use. Ranks
// that share their cores then use the same ones.
bool binds_to_shared_cores(ThreadChoice const& rank) {
  char const* const bind = std::getenv("OMP_PROC_BIND");
  return rank.sharing > 1 && bind && std::string_view(bind) != "false" && std::string_view(bind) != "FALSE";
}

// Returns whether idle OpenMP threads spin on cores that communication needs. If the launcher's variables
// show that no core is left for communication, the program sets OMP_WAIT_POLICY and starts itself again. Idle
// threads then sleep. If the launcher's variables are incomplete, the program learns only after MPI has
// started that no core is left. It is then too late for a second start, and the threads spin.
bool spins_unexpectedly(ThreadChoice const& rank) {
  return leaves_no_core(rank.threads, rank.own) && spins(rank, variable_here);
}

std::vector<std::string> warnings_of(std::vector<ThreadChoice> const& ranks, ThreadWish const& wish) {
  std::vector<std::string> warnings;
  if (const auto complaint = complain_of_threads(ranks, wish); !complaint.empty())
    warnings.push_back(complaint);
  if (const auto complaint = complain_of_idle_cores(ranks); !complaint.empty()) warnings.push_back(complaint);
  if (ranks.size() > 1 && std::ranges::any_of(ranks, spins_unexpectedly))
    warnings.push_back(
        "OpenMP's idle threads spin on cores that communication needs. So all-reduces take longer, and the "
        "measured T and E are too long. Set OMP_WAIT_POLICY=passive, so that idle threads sleep");
  if (std::ranges::any_of(ranks, binds_to_shared_cores))
    warnings.push_back(fmt::format(
        "OMP_PROC_BIND={} binds the threads of all ranks of a node to the same cores, because the ranks "
        "share their cores. Set OMP_PROC_BIND=false, or let the launcher bind each rank to cores of its own",
        std::getenv("OMP_PROC_BIND")));
  return warnings;
}

}  // namespace

bool spins(ThreadChoice const& rank, Variables const& variable) {
  return rank.threads > 1 && !says_how_threads_wait(variable);
}

ThreadReport report_threads(Runtime const& runtime) {
  ThreadReport report;
  if constexpr (on_device) return report;
  const auto ranks = gather_choices(runtime);
  if (!runtime.root()) return report;
  report.line = describe(ranks, runtime.wish());
  if (const auto settings = settings_of_second_start()) report.second_start = describe(*settings);
  report.warnings = warnings_of(ranks, runtime.wish());
  report.tightest =
      *std::ranges::min_element(ranks, {}, [](auto const& rank) { return rank.own - rank.threads; });
  report.spinning = std::ranges::any_of(ranks, [](auto const& rank) { return spins(rank, variable_here); });
  for (auto const& rank : ranks) {
    report.threads.push_back(rank.threads);
    report.own_cores.push_back(rank.own);
    report.oversubscribed = report.oversubscribed || rank.oversubscribed;
  }
  return report;
}

}  // namespace ddproxy
