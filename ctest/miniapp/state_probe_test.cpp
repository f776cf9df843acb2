// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/core_probe.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "ctest/mpi_main.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/calibration/planted_state.hpp"

namespace ddproxy {
namespace {

TEST(CoreProbe, GivesNoValueOnOneRank) {
  if (test_runtime->ranks() > 1) GTEST_SKIP() << "for one rank";
  CoreProbe probe(*test_runtime);
  EXPECT_TRUE(std::isnan(probe.measure()));
  EXPECT_FALSE(probe.works());
  if constexpr (!on_device) {
    EXPECT_EQ(make_state_probe(*test_runtime, true), nullptr);
  }
}

// On a GPU the probe reads the clocks through the driver's NVML.
TEST(ClockProbe, ReadsTheClocksOfThisGpu) {
  if constexpr (!on_device) GTEST_SKIP() << "for a GPU";
  const auto probe = make_state_probe(*test_runtime, true);
  if (!probe) GTEST_SKIP() << "NVML does not know this GPU";
  EXPECT_GT(probe->measure(), 0);
  const auto clocks = probe->clocks();
  ASSERT_TRUE(clocks);
  EXPECT_GT(clocks->sm_hz, 1e8);
  EXPECT_LE(clocks->sm_hz, clocks->most_sm_hz);
}

TEST(CoreProbe, IsNotMadeForReplayedAllReduces) {
  EXPECT_EQ(make_state_probe(*test_runtime, false), nullptr);
}

// While an OwnCore object exists, each rank has a core of its own, if the ranks may use enough cores.
class OwnCore {
 public:
  OwnCore() {
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    std::vector<std::size_t> cores;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &before_)) cores.push_back(core);
    const auto rank = static_cast<std::size_t>(test_runtime->rank());
    exists =
        test_runtime->maximum(cores.size() < static_cast<std::size_t>(test_runtime->ranks()) ? 1 : 0) == 0;
    if (!exists) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cores[rank], &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~OwnCore() { EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0); }
  OwnCore(OwnCore const&) = delete;
  OwnCore& operator=(OwnCore const&) = delete;

  bool exists = false;  ///< whether each rank has a core of its own

 private:
  cpu_set_t before_{};
};

// A probe of a busy machine may give no value. So after 20 probes the test goes on until it has three values,
// for 2000 probes at most.
TEST(CoreProbe, GivesAllRanksTheSameValueOrNoValue) {
  auto const& runtime = *test_runtime;
  const OwnCore core;
  CoreProbe probe(runtime);
  int known = 0;
  for (int i = 0; i < 20 || (core.exists && known < 3 && i < 2000); ++i) {
    const double value = probe.measure();
    const double everywhere = std::isnan(value) ? -1 : value;
    EXPECT_EQ(runtime.maximum(everywhere), everywhere);
    EXPECT_EQ(-runtime.maximum(-everywhere), everywhere);
    if (std::isnan(value)) continue;
    ++known;
    EXPECT_GT(value, 1e-9) << "no cache line goes to another core and back in 1 ns";
  }
  if (core.exists && runtime.ranks() > 1) {
    EXPECT_GE(known, 3);
  }
}

// The probe waits for a rank that comes late. It must not count the wait: 50 ms over 400 round trips would be
// 125 us each.
TEST(CoreProbe, DoesNotCountTheWaitForALateRank) {
  auto const& runtime = *test_runtime;
  if (runtime.ranks() == 1) GTEST_SKIP() << "for several ranks";
  CoreProbe probe(runtime);
  for (int i = 0; i < 5; ++i) {
    if (runtime.root()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double value = probe.measure();
    EXPECT_TRUE(std::isnan(value) || value < 100e-6) << value;
  }
}

// If two ranks share a core, one of them cannot answer while the other one waits. So the probe gives up.
TEST(CoreProbe, GivesUpIfRanksShareACore) {
  auto const& runtime = *test_runtime;
  if (runtime.ranks() == 1) GTEST_SKIP() << "for several ranks";
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<std::int64_t> core{sched_getcpu()};
  runtime.broadcast(core);
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core[0]), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  CoreProbe probe(runtime);
  EXPECT_FALSE(probe.works());
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(PlantedState, ChangesAfterTheGivenNumberOfProbes) {
  PlantedState state(2);
  std::vector<bool> slow;
  for (int i = 0; i < 6; ++i) {
    const double value = state.measure();
    slow.push_back(state.slow());
    EXPECT_EQ(value > 100e-9, state.slow());
  }
  EXPECT_EQ(slow, (std::vector<bool>{false, false, true, true, false, false}));
}

}  // namespace
}  // namespace ddproxy
