// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "miniapp/machine/thread_report.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// What must be known of a run to compare or repeat it.
struct Provenance {
  std::vector<std::pair<std::string, std::string>> attributes;  ///< of the program and its libraries
  std::vector<std::string> environment;                         ///< NAME=value of the variables that matter
  // A value a rank:
  std::vector<std::string> host, device, uuid, pci_bus, binding;
  std::vector<double> numa_node, device_numa_node, clock_hz, memory_clock_hz;
  ThreadReport threads;
};

/// Collective; complete on rank 0.
Provenance gather_provenance(RankContext const& context);

}  // namespace ddproxy
