// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy::results {

/// Holds the options of `ddproxy compare`. With rank_machines, `base` and `next` together are the files to
/// rank.
struct CompareOptions {
  using Path = std::filesystem::path;
  std::vector<Path> base = {};              ///< files of the base build, one for each run
  std::vector<Path> next = {};              ///< files of the new build, one for each run
  double tolerance = 0.02;                  ///< smallest slowdown that matters, relative
  std::vector<std::string> allow = {};      ///< keys in which the files may differ; known_keys() lists all
  bool rank_machines = false;               ///< ranks machines by the figure of merit instead of comparing
  std::map<Path, std::string> labels = {};  ///< for rank_machines: label of a file, replaces the stored one
  /// A folder. If it is given, the newest nights of the folder are tested against earlier nights, and nothing
  /// else is compared.
  std::optional<Path> history = {};
  std::optional<Path> pin = {};  ///< with history: file of a night; also compare with the level at this night
  double at_least = 0.1;  ///< with history: undecided if one night can hide a slowdown of this size, relative
  std::optional<std::string> acknowledge = {};      ///< with history: accept the slowdowns, for this reason
  std::vector<std::string> acknowledge_cases = {};  ///< accept only the slowdowns of these cases; empty: all
  std::optional<Path> night = {};  ///< also write the mean ratios over the rounds to this file, for a history
  std::optional<Path> json = {};   ///< also write the table to this file
  std::optional<Path> csv = {};    ///< the same, as CSV
  std::optional<Path> junit = {};  ///< the same, as JUnit XML
  bool allow_undecided = false;    ///< exit code 0 instead of 5 if nothing could be decided
  bool dry_run = false;            ///< only check the options and the output files
};

/// Splits "LABEL=FILE" into file and label. If the text has no "=", or if a file exists whose name is the
/// whole text, the label is empty. Throws std::invalid_argument if LABEL or FILE is empty.
std::pair<std::filesystem::path, std::string> split_label(std::string const& text);

/// Parses "2%" or "0.02" and returns the relative value. Throws std::invalid_argument with the name of the
/// option if the text has another form, or if the value is not above 0 and below 1.
double parse_share(std::string const& option, std::string const& text);

}  // namespace ddproxy::results
