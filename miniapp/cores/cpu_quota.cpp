// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include "miniapp/input/control_groups.hpp"

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double cores_of(double microseconds, double period) {
  return microseconds > 0 && period > 0 ? microseconds / period : infinite;
}

// Reads cpu.max: the quota and the period in microseconds, for instance "200000 100000". The file contains
// "max 100000" if there is no limit.
double quota_of_version_2(std::filesystem::path const& group) {
  double microseconds = 0, period = 0;
  return std::ifstream(group / "cpu.max") >> microseconds >> period ? cores_of(microseconds, period)
                                                                    : infinite;
}

// The quota of version 1 is -1 if there is no limit.
double quota_of_version_1(std::filesystem::path const& group) {
  double microseconds = 0, period = 0;
  const bool found = std::ifstream(group / "cpu.cfs_quota_us") >> microseconds &&
                     std::ifstream(group / "cpu.cfs_period_us") >> period;
  return found ? cores_of(microseconds, period) : infinite;
}

}  // namespace

double cpu_quota(std::filesystem::path const& root, std::filesystem::path const& list) {
  return std::min(least_of_groups(root, list, "", quota_of_version_2),
                  least_of_groups(root, list, "cpu", quota_of_version_1));
}

int whole_cores(double quota) {
  constexpr int most = std::numeric_limits<int>::max();
  return quota < most ? std::max(static_cast<int>(quota), 1) : most;
}

}  // namespace ddproxy
