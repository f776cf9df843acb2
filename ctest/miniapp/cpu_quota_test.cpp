// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cores/cpu_quota.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace ddproxy {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// A folder with control groups, which replaces /sys/fs/cgroup. Its file "self" replaces /proc/self/cgroup.
struct PlantedGroups {
  PlantedGroups(char const* name, char const* own)
      : root(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))) {
    write("self", own);
  }
  ~PlantedGroups() { std::filesystem::remove_all(root); }
  void write(std::filesystem::path const& file, char const* text) const {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  double quota() const { return cpu_quota(root, root / "self"); }
  std::filesystem::path root;
};

TEST(CpuQuota, OfCgroupVersion2IsTheSmallestOfAllGroupsOnThePath) {
  const PlantedGroups groups("quota2.", "1:memory:/x\n0::/pods/pod\n");
  EXPECT_EQ(groups.quota(), infinite) << "no file";
  groups.write("pods/pod/cpu.max", "max 100000\n");
  EXPECT_EQ(groups.quota(), infinite) << "no limit";
  groups.write("pods/cpu.max", "250000 100000\n");
  EXPECT_EQ(groups.quota(), 2.5);
  groups.write("pods/pod/cpu.max", "100000 50000\n");
  EXPECT_EQ(groups.quota(), 2);
  groups.write("cpu.max", "50000 100000\n");
  EXPECT_EQ(groups.quota(), 0.5) << "in a container the top group has the limit";
  groups.write("other/cpu.max", "1000 100000\n");
  EXPECT_EQ(groups.quota(), 0.5) << "not a group of this process";
}

TEST(CpuQuota, OfCgroupVersion1IsFoundByTheNameOfItsController) {
  const PlantedGroups groups("quota1.", "5:cpuset:/set\n4:cpu,cpuacct:/docker/it\n0::/\n");
  groups.write("cpu/cpu.cfs_quota_us", "-1\n");  // no limit
  groups.write("cpu/cpu.cfs_period_us", "100000\n");
  groups.write("cpu/set/cpu.cfs_quota_us", "1000\n");  // not a group of this process
  groups.write("cpu/set/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(groups.quota(), infinite);
  groups.write("cpu/docker/it/cpu.cfs_quota_us", "150000\n");
  groups.write("cpu/docker/it/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(groups.quota(), 3);
}

TEST(CpuQuota, IsRoundedDownToWholeCoresAndIsAtLeastOne) {
  EXPECT_EQ(whole_cores(2.9), 2);
  EXPECT_EQ(whole_cores(1), 1);
  EXPECT_EQ(whole_cores(0.5), 1);
  EXPECT_EQ(whole_cores(infinite), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace ddproxy
