// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "results/run/run_file.hpp"

namespace ddproxy::results {

/// Returns all of a run but its path as bytes, for another process of the same program.
std::string pack(Run const& run);

/// Returns the run that was packed; its path is empty. Trusts no byte: throws std::invalid_argument where a
/// length exceeds what is there, or where something is left over.
Run unpack(std::string_view bytes);

}  // namespace ddproxy::results
