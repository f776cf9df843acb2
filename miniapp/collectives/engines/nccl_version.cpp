// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_version.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace ddproxy {

std::string nccl_version_text(int version) {
  const int unit = version < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / unit, version % unit / 100, version % 100);
}

void require_nccl_version(int version, int oldest) {
  if (version < oldest)
    throw std::runtime_error(
        fmt::format("NCCL {} is too old: {} or later is needed; put a newer libnccl.so.2 first in "
                    "LD_LIBRARY_PATH",
                    nccl_version_text(version), nccl_version_text(oldest)));
}

}  // namespace ddproxy
