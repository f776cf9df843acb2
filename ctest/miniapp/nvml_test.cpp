// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/machine/nvml.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ctest/mpi_main.hpp"
#include "miniapp/machine/clock_probe.hpp"
#include "miniapp/machine/clock_report.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {
namespace {

constexpr char bus[] = "00000000:3B:00.0";

// The stand-in for NVML lies beside this program, also where scripts/bundle has packed both.
const std::string library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libfake_nvml.so";

void set_gpu(char const* mhz, char const* reasons) {
  setenv("FAKE_NVML_CLOCK", mhz, 1);
  setenv("FAKE_NVML_REASONS", reasons, 1);
  setenv("FAKE_NVML_CAP", "350000", 1);
}

TEST(Nvml, ReadsClocksPowerCapAndReasonsOfThrottling) {
  set_gpu("1395", "4");
  std::string doubt;
  const auto nvml = Nvml::open(bus, doubt, library);
  ASSERT_TRUE(nvml) << doubt;
  const auto clocks = nvml->read();
  ASSERT_TRUE(clocks);
  EXPECT_DOUBLE_EQ(clocks->sm_hz, 1395e6);
  EXPECT_DOUBLE_EQ(clocks->most_sm_hz, 1980e6);
  EXPECT_DOUBLE_EQ(clocks->power_cap_watts, 350);
  EXPECT_EQ(clocks->reasons, 4u);
  setenv("FAKE_NVML_CLOCK", "1980", 1);
  EXPECT_DOUBLE_EQ(nvml->read()->sm_hz, 1980e6) << "each reading is a new one";
  unsetenv("FAKE_NVML_CAP");
  EXPECT_EQ(nvml->read()->power_cap_watts, 0) << "some GPUs do not report a cap";
}

TEST(Nvml, ReadsTheDefaultPowerCapAndTheTimeOfThrottling) {
  set_gpu("1395", "4");
  std::string doubt;
  const auto nvml = Nvml::open(bus, doubt, library);
  ASSERT_TRUE(nvml) << doubt;
  EXPECT_EQ(nvml->read()->default_cap_watts, 0) << "not known";
  EXPECT_LT(nvml->read()->held_down_s, 0) << "not known";
  setenv("FAKE_NVML_DEFAULT_CAP", "400000", 1);
  setenv("FAKE_NVML_POWER_NS", "2000000000", 1);
  EXPECT_LT(nvml->read()->held_down_s, 0) << "one of two is not known";
  setenv("FAKE_NVML_HEAT_NS", "500000000", 1);
  EXPECT_DOUBLE_EQ(nvml->read()->default_cap_watts, 400);
  EXPECT_DOUBLE_EQ(nvml->read()->held_down_s, 2.5);
  for (auto const* name : {"FAKE_NVML_DEFAULT_CAP", "FAKE_NVML_POWER_NS", "FAKE_NVML_HEAT_NS"})
    unsetenv(name);
}

GpuClocks clocks_with(double cap, double default_cap, double held_down_s, std::uint64_t reasons = 0) {
  return {1980e6, 1980e6, cap, reasons, default_cap, held_down_s};
}

TEST(ClockReport, NamesTheGpusWithALowPowerCap) {
  EXPECT_EQ(doubt_about_power_caps({}), "");
  EXPECT_EQ(
      doubt_about_power_caps({clocks_with(400, 400, 0), clocks_with(0, 400, 0), clocks_with(300, 0, 0)}), "");
  const auto doubt = doubt_about_power_caps({clocks_with(400, 400, 0), clocks_with(300, 400, 0)});
  EXPECT_NE(doubt.find("of the GPU of rank 1 is below its default (rank 1: 300 W in place of 400 W)"),
            std::string::npos)
      << doubt;
}

TEST(ClockReport, NamesTheGpusThatWereThrottled) {
  const ClocksOfRanks before{clocks_with(400, 400, 7), clocks_with(400, 400, 7), clocks_with(400, 400, -1)};
  EXPECT_EQ(doubt_about_throttling(before, before), "");
  EXPECT_EQ(doubt_about_throttling({}, {}), "");
  auto after = before;
  after[1].held_down_s = 9.5;
  EXPECT_NE(doubt_about_throttling(before, after).find("rank 1 down (rank 1: for 2.5 s of the run)"),
            std::string::npos)
      << doubt_about_throttling(before, after);
  after[2].reasons = 0x40;
  EXPECT_NE(doubt_about_throttling(before, after).find("ranks 1, 2 down"), std::string::npos);
  after[1] = before[1];
  EXPECT_NE(doubt_about_throttling(before, after).find("rank 2: at the start or at the end"),
            std::string::npos);
  const auto seconds = seconds_held_down(before, after);
  EXPECT_EQ(seconds.at(0), 0);
  EXPECT_TRUE(std::isnan(seconds.at(2)));
}

TEST(ClockReport, GathersTheClocksOfAllRanks) {
  const bool last = test_runtime->rank() == test_runtime->ranks() - 1;
  EXPECT_TRUE(gather_clocks(*test_runtime, nullptr).empty());
  set_gpu("1395", last ? "4" : "0");
  setenv("FAKE_NVML_DEFAULT_CAP", "400000", 1);
  const auto probe = make_clock_probe(*test_runtime, bus, library);
  ASSERT_TRUE(probe);
  const auto clocks = gather_clocks(*test_runtime, probe.get());
  ASSERT_EQ(clocks.size(), test_runtime->root() ? static_cast<std::size_t>(test_runtime->ranks()) : 0u);
  if (!clocks.empty()) {
    EXPECT_DOUBLE_EQ(clocks.back().sm_hz, 1395e6);
    EXPECT_DOUBLE_EQ(clocks.back().most_sm_hz, 1980e6);
    EXPECT_DOUBLE_EQ(clocks.back().power_cap_watts, 350);
    EXPECT_DOUBLE_EQ(clocks.back().default_cap_watts, 400);
    EXPECT_EQ(clocks.back().reasons, 4u);
    EXPECT_EQ(clocks.back().held_down_s, -1);
    EXPECT_EQ(clocks.front().reasons, test_runtime->ranks() > 1 ? 0u : 4u);
  }
  unsetenv("FAKE_NVML_DEFAULT_CAP");
}

TEST(Nvml, SaysWhyThereAreNoClocks) {
  set_gpu("1980", "0");
  std::string doubt;
  EXPECT_EQ(Nvml::open(bus, doubt, "libddproxy_has_no_such.so"), nullptr);
  EXPECT_EQ(doubt, "libddproxy_has_no_such.so cannot be loaded");
  EXPECT_EQ(Nvml::open(bus, doubt, "libm.so.6"), nullptr);
  EXPECT_EQ(doubt, "libm.so.6 is too old: it lacks a function");
  EXPECT_EQ(Nvml::open("00000000:99:00.0", doubt, library), nullptr);
  EXPECT_NE(doubt.find("does not know the GPU at 00000000:99:00.0"), std::string::npos) << doubt;
  unsetenv("FAKE_NVML_REASONS");
  EXPECT_EQ(Nvml::open(bus, doubt, library), nullptr);
  EXPECT_NE(doubt.find("does not give the clocks"), std::string::npos) << doubt;
}

TEST(ClockStates, AreNamedByClockAndThrottling) {
  const auto name = [](double hz, std::uint64_t reasons) {
    return name_of_clock_state(state_number({hz, 1980e6, 0, reasons}));
  };
  EXPECT_EQ(name(1980e6, 0), "highest clock");
  EXPECT_EQ(name(1920e6, 0), "highest clock");
  EXPECT_EQ(name(1395e6, 4), "clock 30 % below its maximum, throttled");
  for (const std::uint64_t slows : {0x4, 0x8, 0x20, 0x40, 0x80})
    EXPECT_EQ(name(1980e6, slows), "highest clock, throttled");
  for (const std::uint64_t other : {0x1, 0x2, 0x10, 0x100})  // idle, set by a user, sync boost, display
    EXPECT_EQ(name(1980e6, other), "highest clock");
}

// In one of five probes the power cap lowers the clock. A sample with one probe of each kind belongs
// to neither state.
TEST(ClockStates, AreDistinguishedByMachineStates) {
  const double free = state_number({1980e6, 1980e6, 0, 0}), capped = state_number({1700e6, 1980e6, 0, 4});
  std::vector<double> probes(40, free);
  probes.resize(50, capped);
  model::MachineStates states(probes);
  states.use({name_of_clock_state, "the clocks of the GPUs"});
  ASSERT_EQ(states.count(), 2u);
  EXPECT_EQ(states.name(0), "highest clock");
  EXPECT_EQ(states.name(1), "clock 10 % below its maximum, throttled");
  EXPECT_EQ(states.state_of(free, free), 0u);
  EXPECT_EQ(states.state_of(free, capped), std::nullopt);
}

TEST(ClockProbe, GivesTheStateOfTheSlowestGpuToAllRanks) {
  const bool last = test_runtime->rank() == test_runtime->ranks() - 1;
  set_gpu(last ? "1395" : "1980", last ? "4" : "0");
  const auto probe = make_clock_probe(*test_runtime, bus, library);
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->words().name(probe->measure()), "clock 30 % below its maximum, throttled");
  EXPECT_EQ(probe->clocks()->reasons, last ? 4u : 0u);
  if (last) unsetenv("FAKE_NVML_CLOCK");
  EXPECT_TRUE(std::isnan(probe->measure())) << "unknown for all where one driver refuses";
}

TEST(ClockProbe, IsNullIfOneRankHasNoLibrary) {
  set_gpu("1980", "0");
  const bool last = test_runtime->rank() == test_runtime->ranks() - 1;
  EXPECT_EQ(make_clock_probe(*test_runtime, bus, last ? "libddproxy_has_no_such.so" : library), nullptr);
}

}  // namespace
}  // namespace ddproxy
