// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Throws std::invalid_argument if the path is a folder, or if its folder does not exist.
void check_target(std::filesystem::path const& path);

/// Renames `part` to `path`. After a power cut either the old file or the whole new file exists. Throws
/// std::runtime_error.
void rename_durably(std::filesystem::path const& part, std::filesystem::path const& path);

}  // namespace ddproxy::results
