// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddproxy {

/// Returns the number of the device that a rank uses, from 0 to devices - 1: local_rank modulo `devices`.
/// `local_rank` is the number of the rank on its node, from 0. `devices` is the number of devices that the
/// rank sees. If the launcher shows each rank only its own device, the result is 0. Throws std::runtime_error
/// if `devices` is 0. The message contains `reason`, the error message of the driver.
int choose_device(int local_rank, int devices, std::string const& reason);

/// Returns the device to select before MPI starts, or -1 to select none. `launched_rank` is the number of the
/// rank on its node, from the launcher's variables (miniapp/cores/launch.hpp). It is empty if they do not
/// give this number. `devices` is the number of devices that the rank sees. Throws nothing: choose_device()
/// reports errors later, when all ranks can report them together.
int choose_device_early(std::optional<int> launched_rank, int devices);

/// Returns a warning that names the ranks whose device was changed after MPI had started. Returns an empty
/// string if there is no such rank. `early` has the result of choose_device_early() for each rank, and
/// `taken` the device that the rank uses.
std::string doubt_about_early_devices(std::vector<double> const& early, std::vector<double> const& taken);

/// Returns the priority of a stream. `least` and `greatest` are the ends of the range that the device offers.
/// A smaller number is a higher priority. Returns `greatest` if `high` is true. Otherwise returns the number
/// in the range that is closest to 0. With CUDA (range 0 to -5) and HIP (range 1 to -1) this is 0, the
/// default priority.
int choose_stream_priority(bool high, int least, int greatest);

/// Returns an error message if several ranks of a node use the same device. Returns an empty string if all
/// use different devices, or if `share` allows several ranks on one device. `uuids` has the UUID of the
/// device of each rank of the node.
std::string complain_of_devices(std::vector<std::string> const& uuids, bool share);

/// Returns how many ranks of a node use the device `uuid`. `uuids` has the UUID of the device of each rank of
/// the node.
int ranks_on(std::string const& uuid, std::vector<std::string> const& uuids);

/// Returns the NUMA node of a PCI device. `pci_bus` is its address, for instance 00000000:3B:00.0. Reads the
/// file of Linux for this device below the folder `devices`. Returns -1 if it names no node.
int numa_node_of(std::string pci_bus, std::filesystem::path const& devices = "/sys/bus/pci/devices");

/// Returns a warning with the ranks that started on another NUMA node than the node of their device. Returns
/// an empty string if there is no such rank. `of_rank` has the NUMA node on which each rank started, and
/// `of_device` the NUMA node of its device. In both lists -1 means: not known.
std::string doubt_about_numa(std::vector<double> const& of_rank, std::vector<double> const& of_device);

/// Returns a warning if two or more ranks of a node see only one device each, and these devices differ. Names
/// only the first such node. Returns an empty string otherwise. The lists have a value for each rank:
/// `counts` the number of devices that the rank sees, `hosts` its host name, and `uuids` the UUID of its
/// device.
std::string doubt_about_visible_devices(std::vector<double> const& counts,
                                        std::vector<std::string> const& hosts,
                                        std::vector<std::string> const& uuids);

/// Returns an error message if the environment variable NVIDIA_TF32_OVERRIDE contradicts the precision that
/// the input asks for. Returns an empty string otherwise. `tf32` says whether the input asks for TF32.
/// `forced` is the value of the variable; nullptr: not set.
std::string complain_of_override(bool tf32, char const* forced);

/// Returns an error message if the ranks on a device need more memory than it has free. Returns an empty
/// string if they fit. `need` is the memory that each rank needs, `free` the free memory of the device, both
/// in bytes. `ranks` is the number of ranks on the device.
std::string complain_of_device_memory(double need, int ranks, double free);

/// Returns a warning if the ranks fit, but leave less than 1 GiB for each rank. The memory that libraries
/// allocate (workspace of cuBLAS, channels of NCCL) is only estimated in `need`. Returns an empty string
/// otherwise. The arguments are those of complain_of_device_memory().
std::string doubt_about_device_memory(double need, int ranks, double free);

}  // namespace ddproxy
