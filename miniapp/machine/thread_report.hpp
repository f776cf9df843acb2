// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/machine/runtime.hpp"

namespace ddproxy {

/// With how many threads and on which cores the ranks compute, for the user and the results file.
struct ThreadReport {
  std::string line;          ///< what was chosen and why
  std::string second_start;  ///< what rank 0 was started again with, "NAME=value" each; else empty
  std::vector<std::string> warnings;
  std::vector<double> threads, own_cores;  ///< rank by rank
  bool oversubscribed = false;             ///< some thread of some rank has no core
};

/// Collective; complete on rank 0. In a build for a device all is empty.
ThreadReport report_threads(Runtime const& runtime);

}  // namespace ddproxy
