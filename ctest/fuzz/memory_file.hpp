// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace ddproxy::fuzz {

/// Writes the bytes to a file in memory and returns its path. The next call overwrites the file. Ends the
/// program with abort() if the file cannot be written.
std::filesystem::path memory_file(std::uint8_t const* bytes, std::size_t count);

}  // namespace ddproxy::fuzz
