// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Two names of one file, which need not be there yet.
bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b);

/// Whether the name is one that a run gives its unfinished files: it ends in .part, .part.N or .lock.
bool is_reserved(std::filesystem::path const& path);

/// Throws std::invalid_argument where `path` cannot be opened for writing. A file that is there is left as it
/// is, one that is not does not come to be. std::runtime_error where the disk is full.
void check_writable(std::filesystem::path const& path);

/// For a file that could not be opened, or made, for writing: std::runtime_error where the disk is the
/// reason, std::invalid_argument where the name is.
[[noreturn]] void fail_to_open(std::filesystem::path const& path, int reason);

}  // namespace ddproxy::results
