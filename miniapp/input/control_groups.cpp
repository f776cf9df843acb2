// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/control_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace ddproxy {
namespace {

// Returns whether `names`, for instance "cpu,cpuacct", has the name `controller`. A line of version 2 has no
// names.
bool has_controller(std::string const& names, std::string_view controller) {
  if (controller.empty()) return names.empty();
  return fmt::format(",{},", names).find(fmt::format(",{},", controller)) != std::string::npos;
}

// Returns the path of the group of this process below the root of the tree. Returns an empty path if the
// process has no group. A line of the list is "0::/path" or "9:cpu,cpuacct:/path".
std::filesystem::path own_group(std::filesystem::path const& list, std::string_view controller) {
  std::ifstream file(list);
  for (std::string number, names, path;
       std::getline(file, number, ':') && std::getline(file, names, ':') && std::getline(file, path);)
    if (has_controller(names, controller) && path.starts_with("/")) return path.substr(1);
  return {};
}

}  // namespace

double least_of_groups(std::filesystem::path const& root, std::filesystem::path const& list,
                       std::string_view controller,
                       std::function<double(std::filesystem::path const&)> const& value) {
  auto group = root / controller;
  double least = value(group);
  for (auto const& part : own_group(list, controller)) least = std::min(least, value(group /= part));
  return least;
}

}  // namespace ddproxy
