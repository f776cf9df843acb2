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

/// The options of `ddproxy compare`.
struct CompareOptions {
  using Path = std::filesystem::path;
  std::vector<Path> base = {};  ///< one file per run
  std::vector<Path> next = {};
  double tolerance = 0.02;                  ///< smallest slowdown that matters, relative
  std::vector<std::string> allow = {};      ///< keys in which the files may differ: known_keys()
  bool rank_machines = false;               ///< do not compare; rank the machines by the figure of merit
  std::map<Path, std::string> labels = {};  ///< --rank-machines: [file] replaces the label in the file
  /// Do not compare; test the newest nights of this folder against earlier ones.
  std::optional<Path> history = {};
  std::optional<Path> pin = {};  ///< with history: also compare with the level at this night
  double at_least = 0.1;         ///< with history: undecided if the nights may hide a slowdown of this share
  std::optional<std::string> acknowledge = {};      ///< with history: accept the slowdowns, for this reason
  std::vector<std::string> acknowledge_cases = {};  ///< accept only the slowdowns of these cases; empty: all
  std::optional<Path> night = {};  ///< also write the ratios of the rounds to this file, for a history
  std::optional<Path> json = {};   ///< also write the table to this file
  std::optional<Path> csv = {};
  std::optional<Path> junit = {};
  bool allow_undecided = false;  ///< exit code 0 instead of 5 if nothing could be decided
  bool dry_run = false;          ///< only check the options and the output files
};

/// Splits "LABEL=FILE" into file and label. The label is empty if the text has none, or if a file with the
/// whole text as its name exists. Throws std::invalid_argument if the label or the file is empty.
std::pair<std::filesystem::path, std::string> split_label(std::string const& text);

/// Parses "2%" or "0.02" and returns the relative value. Throws std::invalid_argument with the option's name
/// unless it is positive and below 1.
double parse_share(std::string const& option, std::string const& text);

}  // namespace ddproxy::results
