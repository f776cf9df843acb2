// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/compare/night.hpp"

namespace ddproxy::results {

/// The nights of a folder that are compared with each other, in the order of time.
struct History {
  std::vector<Night> nights;
  bool of_ratios = false;             ///< ratio nights; else plain runs
  std::vector<std::string> warnings;  ///< what was left out, and what casts doubt on the rest
  std::string lost_newest = {};  ///< a file that cannot be read and is the youngest of the folder, if any
};

/// Returns the folder's files NAME.night.json and *.h5, sorted by name. Throws std::invalid_argument where
/// there is no such folder.
std::vector<std::filesystem::path> history_files(std::filesystem::path const& folder);

/// Reads the nights of a folder. Where it has night files, plain runs are left out. Of ratio nights those
/// with the newest reference build are taken, of plain runs those of the newest machine. A file that cannot
/// be read is left out with a warning. Throws std::invalid_argument where fewer than two files can be read or
/// no case was measured, where a night is there twice, and where those that are taken differ in a key of
/// Run::identity that is not in `allowed`.
History read_history(std::filesystem::path const& folder, std::span<const std::string> allowed);

/// Returns the index of the night that was read from `file`, a path or a file name in the folder. Throws
/// std::invalid_argument where it is none of them.
std::size_t index_of(History const& history, std::filesystem::path const& file);

/// The names of all cases, the_whole last.
std::vector<std::string> case_names(History const& history);

}  // namespace ddproxy::results
