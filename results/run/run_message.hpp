// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/run/run.hpp"

namespace ddproxy::results {

/// Packs a run into bytes for another process of the same program. The path of the run is left out.
std::string pack(Run const& run);

/// Unpacks the bytes of pack(). The path of the returned run is empty. Throws std::invalid_argument if a
/// length exceeds the number of the remaining bytes, or if bytes are left over.
Run unpack(std::string_view bytes);

}  // namespace ddproxy::results
