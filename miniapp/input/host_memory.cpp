// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/host_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include "miniapp/input/control_groups.hpp"

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

// One version of control groups. `controller` is the argument of least_of_groups(). `limit` and `used` are
// the names of the files with the limit and the use of a group. `inactive` is the name of the row of
// memory.stat to read.
struct GroupVersion {
  char const *controller, *limit, *used, *inactive;
};

constexpr std::array<GroupVersion, 2> group_versions{
    {{"", "memory.max", "memory.current", "inactive_file"},
     {"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}}};

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

// Returns the smallest value of all groups of this process, of both versions.
template <class Value>
double least_of_versions(std::filesystem::path const& root, std::filesystem::path const& list, Value value) {
  double least = infinite;
  for (auto const& version : group_versions)
    least = std::min(least, least_of_groups(root, list, version.controller,
                                            [&](auto const& group) { return value(group, version); }));
  return least;
}

}  // namespace

double control_group_memory(std::filesystem::path const& root, std::filesystem::path const& list) {
  return least_of_versions(root, list, left_in);
}

double control_group_limit(std::filesystem::path const& root, std::filesystem::path const& list) {
  return least_of_versions(root, list, [](std::filesystem::path const& group, GroupVersion const& version) {
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
