// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Throws std::invalid_argument if `path` exists and is not a regular file, or if the folder that would
/// contain the file does not exist. Does not check the access rights.
void check_target(std::filesystem::path const& path);

/// Syncs `part` to the disk and renames it to `path`. After a power cut, `path` is either the old file or the
/// whole new file. Throws std::runtime_error if syncing or renaming fails.
void rename_durably(std::filesystem::path const& part, std::filesystem::path const& path);

}  // namespace ddproxy::results
