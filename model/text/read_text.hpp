// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace ddproxy::model {

/// Returns the whole content of a text file. The file may have at most `most_bytes` bytes; this limit must be
/// a multiple of 1 MiB, because the error message gives it in MiB. The limit exists because a device such as
/// /dev/zero has no end. Throws std::invalid_argument with the file's name if the file cannot be opened, is a
/// folder or is larger.
std::string read_text(std::filesystem::path const& file, std::size_t most_bytes);

}  // namespace ddproxy::model
