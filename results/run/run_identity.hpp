// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "results/file/reader.hpp"
#include "results/run/run.hpp"

namespace ddproxy::results {

/// Returns whether `ddproxy step` wrote the file. The samples are then whole steps, and there is no sweep.
bool has_steps(Reader const& reader);

/// Returns the name of the group with the samples and their settings: "/step" or "/sweep".
std::string_view measured_group(Reader const& reader);

/// Returns the keys and values that must be equal in compared runs. A value is empty if the file does not
/// contain it or if it does not apply. Throws std::invalid_argument that names the file if it is damaged.
Run::Values identity_of(Reader const& reader);

}  // namespace ddproxy::results
