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
  bool of_ratios = false;             ///< true: ratio nights; false: plain runs
  std::vector<std::string> warnings;  ///< nights that were left out, and doubts about the rest
  std::string lost_newest = {};  ///< a file that cannot be read and is the youngest in the folder, if any
};

/// Returns the files NAME.night.json and *.h5 of the folder, sorted by name. Throws std::invalid_argument if
/// the folder does not exist or cannot be read.
std::vector<std::filesystem::path> history_files(std::filesystem::path const& folder);

/// Reads the nights of a folder. If it has night files, plain runs are left out. Of the ratio nights it keeps
/// the nights with the newest reference build. Of the plain runs it keeps the runs of the newest machine. A
/// file that cannot be read is left out with a warning.
///
/// Throws std::invalid_argument if fewer than two files can be read, if no case was measured, if a night
/// occurs twice, and if the nights that are kept differ in a key of Run::identity that is not in `allowed`.
/// For plain runs it also throws as check_comparable() does.
History read_history(std::filesystem::path const& folder, std::span<const std::string> allowed);

/// Returns the index of the night that was read from `file`, a path or a file name in the folder. Throws
/// std::invalid_argument if there is no such night.
std::size_t index_of(History const& history, std::filesystem::path const& file);

/// Returns the names of all cases; the_whole comes last.
std::vector<std::string> case_names(History const& history);

}  // namespace ddproxy::results
