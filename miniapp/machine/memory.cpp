// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "miniapp/device/device_choice.hpp"
#include "results/output/standard_streams.hpp"

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

double read_number(std::filesystem::path const& path) {
  double value = 0;
  return std::ifstream(path) >> value ? value : infinite;  // the file contains "max" if there is no limit
}

// One version of control groups. `tree` is the folder of the memory groups below the root. `mark` is a text
// that only the line of this version in /proc/self/cgroup has. That line is "0::/path" or "9:memory:/path".
// `limit` and `used` are the names of the files with the limit and the use of a group. `inactive` is the name
// of the row of memory.stat to read.
struct GroupVersion {
  char const *tree, *mark, *limit, *used, *inactive;
};

constexpr std::array<GroupVersion, 2> group_versions{
    {{"", "0::/", "memory.max", "memory.current", "inactive_file"},
     {"memory", ":memory:/", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}}};

// Returns the bytes of cached file pages, which the kernel frees when a program needs memory.
double reclaimable(std::filesystem::path const& group, std::string const& row) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  for (double bytes = 0; file >> name >> bytes;)
    if (name == row) return bytes;
  return 0;
}

double left_in(std::filesystem::path const& group, GroupVersion const& version) {
  const double limit = read_number(group / version.limit);
  const double used = read_number(group / version.used);
  return limit < infinite && used < infinite ? limit - used + reclaimable(group, version.inactive) : infinite;
}

// Returns the path of the group of this process below the root of the tree. Returns an empty path if the
// process has no group.
std::filesystem::path own_group(std::filesystem::path const& list, std::string_view mark) {
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(mark);
    if (at != line.npos && at <= line.find(':')) return line.substr(at + mark.size());
  }
  return {};
}

// Prints the warning of the first rank that has one. Most often all ranks have the same warning.
void warn_once(std::vector<std::string> const& doubts) {
  for (std::size_t rank = 0; rank < doubts.size(); ++rank)
    if (!doubts[rank].empty())
      return results::say_error(fmt::format("warning: rank {}: {}", rank, doubts[rank]));
}

}  // namespace

double control_group_memory(std::filesystem::path const& root, std::filesystem::path const& list) {
  double least = infinite;
  for (auto const& version : group_versions) {
    auto group = root / version.tree;
    least = std::min(least, left_in(group, version));
    for (auto const& part : own_group(list, version.mark))
      least = std::min(least, left_in(group /= part, version));
  }
  return least;
}

double available_memory() {
  return std::min(free_memory(), control_group_memory());
}

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
