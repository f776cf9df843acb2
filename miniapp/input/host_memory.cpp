// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/host_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns the bytes of a row of /proc/meminfo.
double memory_row(std::string const& row) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kilobytes = 0;
  for (std::string unit; file >> name >> kilobytes; std::getline(file, unit))
    if (name == row) return kilobytes * 1024;
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

// Returns the smallest value of all groups on the path from `root` to the group of this process.
template <class Value>
double least_of_groups(std::filesystem::path const& root, std::filesystem::path const& list, Value value) {
  double least = infinite;
  for (auto const& version : group_versions) {
    auto group = root / version.tree;
    least = std::min(least, value(group, version));
    for (auto const& part : own_group(list, version.mark))
      least = std::min(least, value(group /= part, version));
  }
  return least;
}

}  // namespace

double control_group_memory(std::filesystem::path const& root, std::filesystem::path const& list) {
  return least_of_groups(root, list, left_in);
}

double control_group_limit(std::filesystem::path const& root, std::filesystem::path const& list) {
  return least_of_groups(root, list, [](std::filesystem::path const& group, GroupVersion const& version) {
    return read_number(group / version.limit);
  });
}

double total_memory() {
  return std::min(memory_row("MemTotal:"), control_group_limit());
}

double available_memory() {
  return std::min(memory_row("MemAvailable:"), control_group_memory());
}

}  // namespace ddproxy
