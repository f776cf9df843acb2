// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace ddproxy::results {

/// Writes a file whole or not at all: under another name beside it, then renamed; a pipe or a device
/// directly. Throws std::invalid_argument where there can be no such file, std::runtime_error, with the
/// reason, where the disk does not take it.
void write_text(std::filesystem::path const& path, std::string const& text);

}  // namespace ddproxy::results
