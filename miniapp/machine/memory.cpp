// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "miniapp/device/device_choice.hpp"
#include "results/output/standard_streams.hpp"

namespace ddproxy {
namespace {

constexpr double gib = 1073741824.0;

// Prints the warning of the first rank that has one. Most often all ranks have the same warning.
void warn_once(std::vector<std::string> const& doubts) {
  for (std::size_t rank = 0; rank < doubts.size(); ++rank)
    if (!doubts[rank].empty())
      return results::say_error(fmt::format("warning: rank {}: {}", rank, doubts[rank]));
}

}  // namespace

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void require_memory(Runtime const& runtime, double need, double more) {
  const double there = available_memory();
  runtime.barrier();  // no rank allocates before all ranks have read the free memory
  runtime.together([&] {
    const double all = need * runtime.local_ranks() + more;
    if (all > there)
      throw std::runtime_error(fmt::format(
          "not enough memory: a rank needs {:.1f} GiB, all ranks on this node ({}) need {:.1f} GiB, and "
          "{:.1f} GiB are available; use a smaller model, fewer tokens or fewer ranks on each node",
          need / gib, runtime.local_ranks(), all / gib, there / gib));
  });
}

void require_device_memory(Runtime const& runtime, double need, double free) {
  runtime.barrier();  // no rank allocates before all ranks have read the free memory
  runtime.together([&] {
    const auto complaint = complain_of_device_memory(need, runtime.ranks_on_device(), free);
    if (!complaint.empty()) throw std::runtime_error(complaint);
  });
  warn_once(runtime.gather(doubt_about_device_memory(need, runtime.ranks_on_device(), free)));
}

}  // namespace ddproxy
