// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/run/run.hpp"

namespace ddproxy::results {

/// Returns all of a run except its path as bytes, for another process of the same program.
std::string pack(Run const& run);

/// Returns a run from the bytes of pack(); its path is empty. Throws std::invalid_argument if a length
/// exceeds the remaining bytes, or if bytes are left over.
Run unpack(std::string_view bytes);

}  // namespace ddproxy::results
