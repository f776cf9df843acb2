// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/device/device_choice.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "miniapp/app/record/visible_devices.hpp"
#include "miniapp/collectives/engines/nccl_version.hpp"

namespace ddproxy {
namespace {

constexpr double gib = 1073741824.0;

TEST(DeviceChoice, EachRankOfANodeHasItsOwnDevice) {
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(choose_device(rank, 8, ""), rank);
}

TEST(DeviceChoice, ARankUsesTheOnlyDeviceThatTheLauncherShows) {
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(choose_device(rank, 1, ""), 0);
  EXPECT_EQ(complain_of_devices({"GPU-a", "GPU-b", "GPU-c"}, false), "");
}

TEST(DeviceChoice, AMissingDeviceIsReportedWithTheDriversReason) {
  try {
    choose_device(0, 0, "CUDA driver is a stub library");
    ADD_FAILURE() << "no error";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(std::string(error.what()).find("no device was found (CUDA driver is a stub"), std::string::npos)
        << error.what();
  }
}

TEST(DeviceChoice, TwoRanksOnOneDeviceAreRefusedUnlessSharingIsAllowed) {
  const std::vector<std::string> uuids{"GPU-a", "GPU-b", "GPU-a"};
  EXPECT_NE(complain_of_devices(uuids, false).find("3 ranks on this node have 2 devices"), std::string::npos);
  EXPECT_NE(complain_of_devices(uuids, false).find("--share-device"), std::string::npos);
  EXPECT_EQ(complain_of_devices(uuids, true), "");
  EXPECT_EQ(complain_of_devices({"GPU-a"}, false), "");
  EXPECT_EQ(ranks_on("GPU-a", uuids), 2);
  EXPECT_EQ(ranks_on("GPU-b", uuids), 1);
}

TEST(DeviceChoice, TheLaunchersRankChoosesTheDeviceBeforeMpiStarts) {
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(choose_device_early(rank, 4), rank % 4);
  EXPECT_EQ(choose_device_early(3, 1), 0) << "the launcher shows each rank its own device";
  EXPECT_EQ(choose_device_early(std::nullopt, 4), -1) << "no launcher";
  EXPECT_EQ(choose_device_early(2, 0), -1) << "no device: reported when MPI runs";
}

TEST(DeviceChoice, WarnsIfARankChangesItsDeviceAfterMpiStarted) {
  EXPECT_EQ(doubt_about_early_devices({0, 1, 0, 1}, {0, 1, 0, 1}), "");
  EXPECT_EQ(doubt_about_early_devices({-1, -1}, {0, 1}), "") << "none was selected";
  EXPECT_EQ(doubt_about_early_devices({}, {}), "") << "a rank other than 0";
  const auto doubt = doubt_about_early_devices({0, 0, 2, 0}, {0, 1, 2, 3});
  EXPECT_TRUE(doubt.starts_with("ranks 1, 3 changed the device after MPI had started (rank 1: from 0 to 1)"))
      << doubt;
  EXPECT_TRUE(doubt_about_early_devices({0, 0}, {0, 1}).starts_with("rank 1 changed"));
}

// A smaller number is a higher priority: CUDA's range is 0 to -5, that of HIP 1 to -1.
TEST(DeviceChoice, AStreamHasTheDefaultPriorityUnlessHighIsChosen) {
  EXPECT_EQ(choose_stream_priority(false, 0, -5), 0);
  EXPECT_EQ(choose_stream_priority(false, 1, -1), 0);
  EXPECT_EQ(choose_stream_priority(false, 0, 0), 0) << "a device without priorities";
  EXPECT_EQ(choose_stream_priority(false, -1, -3), -1);
  EXPECT_EQ(choose_stream_priority(true, 0, -5), -5);
  EXPECT_EQ(choose_stream_priority(true, 1, -1), -1);
}

TEST(DeviceChoice, TheNumaNodeOfAPciAddressIsReadFromSysfs) {
  const auto folder = std::filesystem::temp_directory_path() / "ddproxy_numa_test";
  std::filesystem::create_directories(folder / "0000:3b:00.0");
  std::ofstream(folder / "0000:3b:00.0" / "numa_node") << "3\n";
  EXPECT_EQ(numa_node_of("00000000:3B:00.0", folder), 3);
  EXPECT_EQ(numa_node_of("0000:3B:00.0", folder), 3);
  EXPECT_EQ(numa_node_of("00000000:AF:00.0", folder), -1);
  EXPECT_EQ(numa_node_of("", folder), -1);
  std::filesystem::remove_all(folder);
}

TEST(DeviceChoice, RanksFarFromTheirDevicesAreNamed) {
  EXPECT_EQ(doubt_about_numa({0, 0, 1, 1}, {0, 0, 1, 1}), "");
  EXPECT_EQ(doubt_about_numa({0, 1}, {-1, -1}), "") << "one socket, or a host";
  EXPECT_EQ(doubt_about_numa({-1, 0}, {0, 0}), "");
  EXPECT_NE(doubt_about_numa({0, 0, 0, 0}, {0, 0, 1, 1}).find("ranks 2, 3 started"), std::string::npos);
  EXPECT_NE(doubt_about_numa({0, 0}, {1, 0}).find("rank 0 started"), std::string::npos);
}

TEST(DeviceChoice, NamesAHostWhoseRanksSeeOnlyTheirOwnDevice) {
  EXPECT_EQ(doubt_about_visible_devices({2, 2}, {"a", "a"}, {"GPU-1", "GPU-2"}), "");
  EXPECT_EQ(doubt_about_visible_devices({1, 1}, {"a", "a"}, {"GPU-1", "GPU-1"}), "") << "they share one";
  EXPECT_EQ(doubt_about_visible_devices({1, 1}, {"a", "b"}, {"GPU-1", "GPU-2"}), "") << "one rank a node";
  EXPECT_EQ(doubt_about_visible_devices({}, {"a", "a"}, {"", ""}), "") << "a host";
  const auto doubt = doubt_about_visible_devices({1, 1, 1}, {"a", "b", "b"}, {"GPU-1", "GPU-2", "GPU-3"});
  EXPECT_TRUE(doubt.starts_with("on host b, each rank sees only one of 2 GPUs")) << doubt;
  EXPECT_NE(doubt.find("--gpu-bind=none"), std::string::npos);
}

TEST(NcclSettings, AreReadFromTheEnvironment) {
  EXPECT_EQ(nccl_settings([](char const*) -> char const* { return nullptr; }), "defaults");
  const auto some = [](std::string const& name) -> char const* {
    return name == "NCCL_P2P_DISABLE" ? "1" : name == "NCCL_ALGO" ? "Ring" : nullptr;
  };
  EXPECT_EQ(nccl_settings(some), "NCCL_P2P_DISABLE=1 NCCL_ALGO=Ring");
}

TEST(Precision, AContradictingOverrideOfTheEnvironmentIsRefused) {
  for (char const* harmless : {static_cast<char const*>(nullptr), "", "2"})
    for (bool tf32 : {false, true}) EXPECT_EQ(complain_of_override(tf32, harmless), "");
  EXPECT_EQ(complain_of_override(true, "1"), "");
  EXPECT_EQ(complain_of_override(false, "0"), "");
  EXPECT_NE(complain_of_override(true, "0").find("more exact"), std::string::npos);
  EXPECT_NE(complain_of_override(false, "1").find("less exact"), std::string::npos);
}

TEST(DeviceMemory, TheErrorStatesTheNeededAndTheFreeMemory) {
  EXPECT_EQ(complain_of_device_memory(40 * gib, 1, 40 * gib), "");
  const auto complaint = complain_of_device_memory(30 * gib, 2, 40 * gib);
  EXPECT_NE(complaint.find(
                "a rank needs 30.0 GiB, all ranks on this device (2) need 60.0 GiB, and 40.0 GiB are free"),
            std::string::npos)
      << complaint;
}

TEST(DeviceMemory, NearlyFullMemoryGivesAWarning) {
  EXPECT_EQ(doubt_about_device_memory(30 * gib, 1, 31 * gib), "");
  EXPECT_EQ(doubt_about_device_memory(41 * gib, 1, 40 * gib), "") << "this is refused";
  const auto doubt = doubt_about_device_memory(18 * gib, 2, 37.5 * gib);
  EXPECT_NE(doubt.find("37.5 GiB are free, and the run leaves 1.5 GiB of them"), std::string::npos) << doubt;
}

TEST(NcclVersion, IsFormattedFromTheNumberOfNccl) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(21003), "2.10.3");
  EXPECT_EQ(nccl_version_text(2804), "2.8.4");
}

TEST(NcclVersion, BelowTwoTenIsRefused) {
  EXPECT_NO_THROW(require_nccl_version(21000));
  EXPECT_NO_THROW(require_nccl_version(22809));
  EXPECT_THROW(require_nccl_version(20908), std::runtime_error);
  EXPECT_THROW(require_nccl_version(2804), std::runtime_error);
}

}  // namespace
}  // namespace ddproxy
