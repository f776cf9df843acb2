// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddproxy {

/// Number of the device for a rank, of `devices` that it sees: its number among the ranks of its node, round
/// and round, so that it is 0 where the launcher shows each rank its own device only. Throws
/// std::runtime_error where there is no device; `reason` is the driver's.
int choose_device(int local_rank, int devices, std::string const& reason);

/// What is wrong with the devices of the ranks of one node, named by UUID, rank by rank; empty where nothing
/// is. Two ranks on one device are wrong but where they are meant to `share`.
std::string complain_of_devices(std::vector<std::string> const& uuids, bool share);

/// How many of the ranks of a node are on this device.
int ranks_on(std::string const& uuid, std::vector<std::string> const& uuids);

/// NUMA node of a PCI device by its address, for instance 00000000:3B:00.0, as the kernel says below
/// `devices`; -1 where it says none.
int numa_node_of(std::string pci_bus, std::filesystem::path const& devices = "/sys/bus/pci/devices");

/// What is to be said of ranks that started on another NUMA node than their device's: both node by rank, -1
/// where it is not known; empty where there is no such rank.
std::string doubt_about_numa(std::vector<double> const& of_rank, std::vector<double> const& of_device);

/// What is wrong where NVIDIA_TF32_OVERRIDE (`forced`; nullptr: not set) makes the libraries round other
/// products than the input asks for; empty where nothing is.
std::string complain_of_override(bool tf32, char const* forced);

/// What is wrong with a rank's need of device memory, bytes, beside `ranks` that share the device; empty
/// where it fits.
std::string complain_of_device_memory(double need, int ranks, double free);

/// What is to be said where it fits, but leaves little for what the device's libraries take for themselves
/// (cuBLAS' workspace, NCCL's channels), which is not counted; empty where it leaves enough.
std::string doubt_about_device_memory(double need, int ranks, double free);

}  // namespace ddproxy
