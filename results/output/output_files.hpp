// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Returns true if two names mean the same file. The file need not exist yet.
bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b);

/// Returns true if a run uses such a name for its unfinished files: it ends in .part, .part.N or .lock.
bool is_reserved(std::filesystem::path const& path);

/// Throws std::invalid_argument if `path` cannot be opened for writing, and std::runtime_error if the disk is
/// full. It does not change an existing file and does not leave a new one.
void check_writable(std::filesystem::path const& path);

/// Throws for a file that could not be opened or created for writing: std::runtime_error if the disk is the
/// reason, std::invalid_argument if the name is.
[[noreturn]] void fail_to_open(std::filesystem::path const& path, int reason);

}  // namespace ddproxy::results
