// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace ddproxy::results {

/// Returns true if two paths lead to the same file. The file need not exist yet.
bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b);

/// Returns true if the name ends in .part, .part.N or .lock. A run uses such names for unfinished files
/// (PartFile) and for its lock (FileLock).
bool is_reserved(std::filesystem::path const& path);

/// Checks that `path` can be opened for writing. Throws std::invalid_argument if it cannot, and
/// std::runtime_error if the disk is full. An existing file is not changed. A new file is removed again.
/// Pipes and character devices are not opened.
void check_writable(std::filesystem::path const& path);

/// Throws an exception for a file that could not be opened or created for writing. The message contains the
/// system's text for the error number `reason`. The exception is a std::runtime_error if the disk is full, a
/// limit of size or quota is exceeded, or input or output failed. Otherwise the name is at fault, and the
/// exception is a std::invalid_argument.
[[noreturn]] void fail_to_open(std::filesystem::path const& path, int reason);

}  // namespace ddproxy::results
