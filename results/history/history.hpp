// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/compare/night.hpp"

namespace ddproxy::results {

/// Holds the nights of a folder that are compared with each other, in the order of time. Each file of the
/// folder is one night. A ratio night (NAME.night.json) holds the ratios new / base of one start of
/// scripts/gate. A plain run (*.h5) is a results file, which holds the times of one build.
struct History {
  std::vector<Night> nights;
  bool of_ratios = false;             ///< true: ratio nights; false: plain runs
  std::vector<std::string> warnings;  ///< nights that were left out, and doubts about the rest
  /// Name of the file that was written last, if it cannot be read; otherwise empty.
  std::string lost_newest = {};
};

/// Returns the files NAME.night.json and *.h5 of the folder, sorted by name. Throws std::invalid_argument if
/// the folder does not exist or cannot be read.
std::vector<std::filesystem::path> history_files(std::filesystem::path const& folder);

/// Reads the nights of a folder. If the folder has ratio nights, plain runs are left out. Ratio nights are
/// left out if their reference build is not that of the newest night. Plain runs are left out if their
/// machine is not that of the newest run. A file that cannot be read is left out. There is a warning
/// for everything that is left out.
///
/// Throws std::invalid_argument if fewer than two files can be read, if no case was measured, if a night
/// occurs twice, or if two of the nights differ in a key of Run::identity (results/run/run.hpp) that is not
/// in `allowed`. For plain runs it also throws the exceptions of check_comparable()
/// (results/run/run_file.hpp).
History read_history(std::filesystem::path const& folder, std::span<const std::string> allowed);

/// Returns the index of the night that was read from `file`. `file` is a path, or the name of a file in the
/// folder. Throws std::invalid_argument if there is no such night.
std::size_t index_of(History const& history, std::filesystem::path const& file);

/// Returns the names of all cases that some night measured, in the order in which they appear. The mean over
/// the cases (the_whole in night.hpp) comes last. It is missing if the nights are plain runs that have no
/// case in common.
std::vector<std::string> case_names(History const& history);

}  // namespace ddproxy::results
