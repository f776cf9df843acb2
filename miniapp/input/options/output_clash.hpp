// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/input/options/options.hpp"

namespace ddproxy {

/// A file that a command reads or writes.
struct UsedFile {
  std::string use;             ///< what the file is for, for instance "the input file" or "--json"
  std::filesystem::path path;  ///< empty: the command does not use it
};

/// Returns the files that a run with these options writes, without the tables beside the results file. Throws
/// std::invalid_argument if the results file has an ending that is reserved for the files of an unfinished
/// run, such as .part or .lock.
std::vector<UsedFile> files_to_write(Options const& options);

/// Throws std::invalid_argument if a file to be written is also read, or is written twice. The message names
/// the file and both uses. A path to be written that exists and is no regular file, such as a device or a
/// pipe, is not checked, because writing there overwrites nothing.
void refuse_clashes(std::vector<UsedFile> const& read, std::vector<UsedFile> const& written);

}  // namespace ddproxy
