// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ddproxy {

/// "2.28.9" of the number that ncclGetVersion() gives: major * 10000 + minor * 100 + patch, up to 2.8 major *
/// 1000 (nccl.h, NCCL_VERSION).
std::string nccl_version_text(int version);

/// The first that averages (ncclAvg).
inline constexpr int oldest_nccl = 21000;

/// Throws std::runtime_error where the version is below `oldest`.
void require_nccl_version(int version, int oldest = oldest_nccl);

}  // namespace ddproxy
