// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "miniapp/app/record/visible_devices.hpp"
#include "miniapp/machine/thread_report.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Holds the facts that a reader needs to compare a run with another one, or to repeat it.
struct Provenance {
  /// Name and value of each attribute of /provenance: the program, its libraries, its threads, and the device
  /// that computes.
  std::vector<std::pair<std::string, std::string>> attributes;
  /// NAME=value of this rank's environment variables that begin with a prefix in provenance.cpp, such as
  /// OMP_. Addresses and keys that the launcher gives to its daemons are left out.
  std::vector<std::string> environment;
  // On rank 0 these lists have one value for each rank; on other ranks they are empty. Clocks are in Hz. The
  // number of a NUMA node is -1 if it is unknown.
  std::vector<std::string> host, device, uuid, pci_bus, binding;
  std::vector<double> numa_node, device_numa_node, clock_hz, memory_clock_hz;
  std::vector<double> context_memory, blas_memory, nccl_memory;  ///< bytes (LibraryMemory); empty on a host
  VisibleDevices visible;
  ThreadReport threads;
};

/// Gathers the host names of all ranks on rank 0. Returns an empty list on the other ranks. Collective.
std::vector<std::string> gather_hosts(Runtime const& runtime);

/// Gathers the provenance of all ranks on rank 0. Collective.
Provenance gather_provenance(RankContext const& context);

}  // namespace ddproxy
