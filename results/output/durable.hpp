// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Checks that a file can have the name `path`. Throws std::invalid_argument if `path` is a folder, or if the
/// folder that would contain the file does not exist.
void check_target(std::filesystem::path const& path);

/// Renames `part` to `path`. After a power cut, `path` is either the old file or the whole new file. Throws
/// std::runtime_error if renaming fails.
void rename_durably(std::filesystem::path const& part, std::filesystem::path const& path);

}  // namespace ddproxy::results
