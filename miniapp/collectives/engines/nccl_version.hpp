// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// Returns the text, for instance "2.28.9", of a version number from ncclGetVersion(). The number is major *
/// 10000 + minor * 100 + patch; up to version 2.8 it is major * 1000 + minor * 100 + patch (nccl.h,
/// NCCL_VERSION).
std::string nccl_version_text(int version);

/// The first version of NCCL that can average (ncclAvg): 2.10.
inline constexpr int oldest_nccl = 21000;

/// Throws std::runtime_error if the version is below `oldest`.
void require_nccl_version(int version, int oldest = oldest_nccl);

}  // namespace ddproxy
