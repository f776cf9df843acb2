// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include "miniapp/device.hpp"
#include "miniapp/device_choice.hpp"

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double gib = 1073741824.0;

double free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return infinite;
}

double read_number(char const* path) {
  double value = 0;
  return std::ifstream(path) >> value ? value : infinite;  // the word "max" is no limit
}

double control_group_memory() {
  const double limit = read_number("/sys/fs/cgroup/memory.max");
  const double used = read_number("/sys/fs/cgroup/memory.current");
  return limit < infinite && used < infinite ? limit - used : infinite;
}

}  // namespace

double available_memory() {
  return std::min(free_memory(), control_group_memory());
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void require_memory(Runtime const& runtime, double need) {
  const double there = available_memory();
  runtime.barrier();  // nobody allocates before everybody has looked
  runtime.together([&] {
    if (need * runtime.local_ranks() > there)
      throw std::invalid_argument(
          fmt::format("not enough memory: a rank needs {:.1f} GiB, the {} on this node {:.1f} GiB, and "
                      "{:.1f} GiB are available; "
                      "use a smaller model, fewer tokens or fewer ranks a node",
                      need / gib, runtime.local_ranks(), need * runtime.local_ranks() / gib, there / gib));
  });
}

void require_device_memory(Runtime const& runtime, double need) {
  const double free = free_device_memory();
  runtime.barrier();  // nobody allocates before everybody has looked
  runtime.together([&] {
    const auto complaint = complain_of_device_memory(need, runtime.ranks_on_device(), free);
    if (!complaint.empty()) throw std::runtime_error(complaint);
  });
  const auto doubt = doubt_about_device_memory(need, runtime.ranks_on_device(), free);
  if (runtime.root() && !doubt.empty()) fmt::print(stderr, "warning: {}\n", doubt);
}

}  // namespace ddproxy
