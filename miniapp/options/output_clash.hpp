// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddproxy {

/// A file of a command, and what it is to the user: "the input file", "--json".
struct UsedFile {
  std::string use;
  std::filesystem::path path;  ///< empty: not used
};

/// Throws std::invalid_argument, naming the file and both its uses, where a file that is to be written is
/// read, too, or written twice. Devices and pipes take whatever comes.
void refuse_clashes(std::vector<UsedFile> const& read, std::vector<UsedFile> const& written);

}  // namespace ddproxy
