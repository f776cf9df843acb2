// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ctest/mpi_main.hpp"
#include "miniapp/collectives/make_allreduce.hpp"

namespace ddproxy {

/// Returns the reason why the ranks of this test cannot use NCCL, the same on all ranks. Returns an empty
/// text if they can. Ranks that share a device need NCCL 2.30 or later, and
/// NCCL_MULTI_RANK_GPU_ENABLE=1. All ranks must call this function.
inline std::string why_no_nccl() {
  const std::string version = nccl_version();
  if (version == "none") return "this build has no NCCL";
  if (test_runtime->maximum(test_runtime->ranks_on_device()) < 2) return "";
  int major = 0, minor = 0;
  std::sscanf(version.c_str(), "%d.%d", &major, &minor);
  if (major * 100 + minor < 230) return "NCCL " + version + " takes one rank on each device";
  char const* const enabled = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return enabled ? "" : "ranks share a device, and NCCL_MULTI_RANK_GPU_ENABLE is not set";
}

}  // namespace ddproxy
