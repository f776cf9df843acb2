// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddproxy {

/// Returns the number of the device that a rank uses, from 0 to devices - 1: local_rank modulo `devices`.
/// `local_rank` counts the ranks of a node from 0, `devices` is the number of devices that the rank sees. If
/// the launcher shows each rank only its own device, the result is 0. Throws std::runtime_error if `devices`
/// is 0; the message contains `reason`, the driver's error message.
int choose_device(int local_rank, int devices, std::string const& reason);

/// Checks that the ranks of one node use different devices, and returns an error message if they do not.
/// Returns an empty string if they do or if `share` allows several ranks on one device. `uuids`: the device's
/// UUID of each rank of the node.
std::string complain_of_devices(std::vector<std::string> const& uuids, bool share);

/// Returns how many ranks of a node use the device `uuid`. `uuids`: the device's UUID of each rank of the
/// node.
int ranks_on(std::string const& uuid, std::vector<std::string> const& uuids);

/// Returns the NUMA node of a PCI device. `pci_bus` is its address, for instance 00000000:3B:00.0. The
/// kernel's files below `devices` are read; the result is -1 if they name no node.
int numa_node_of(std::string pci_bus, std::filesystem::path const& devices = "/sys/bus/pci/devices");

/// Returns a warning that names the ranks that started on another NUMA node than their device. Returns an
/// empty string if there is no such rank. `of_rank` and `of_device`: NUMA nodes of each rank and of its
/// device; -1: not known.
std::string doubt_about_numa(std::vector<double> const& of_rank, std::vector<double> const& of_device);

/// Returns an error message if NVIDIA_TF32_OVERRIDE contradicts the precision that the input asks for.
/// Returns an empty string otherwise. `tf32`: the input asks for TF32. `forced`: the value of the variable;
/// nullptr: not set.
std::string complain_of_override(bool tf32, char const* forced);

/// Returns an error message if the ranks on a device need more memory than it has free. Returns an empty
/// string if they fit. `need`: bytes of each rank. `ranks`: ranks on the device. `free`: free bytes of the
/// device.
std::string complain_of_device_memory(double need, int ranks, double free);

/// Returns a warning if the ranks fit, but leave less than 2 GiB a rank for the device's libraries. The
/// memory that these allocate (workspace of cuBLAS, channels of NCCL) is not part of `need`. Returns an empty
/// string otherwise. The arguments are those of complain_of_device_memory().
std::string doubt_about_device_memory(double need, int ranks, double free);

}  // namespace ddproxy
