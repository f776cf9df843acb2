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

/// What `ddproxy compare` was asked for.
struct CompareOptions {
  using Path = std::filesystem::path;
  std::vector<Path> base = {};  ///< one file a run
  std::vector<Path> next = {};
  double tolerance = 0.02;              ///< the slowdown that matters, a share
  std::vector<std::string> allow = {};  ///< keys in which the files may differ: known_keys()
  bool rank_machines = false;           ///< order the machines of all files by the figure of merit instead
  std::map<Path, std::string> labels = {};  ///< --rank-machines: an offer's name, in place of the file's own
  std::optional<Path> history = {};  ///< test the newest nights of this folder against those before instead
  std::optional<Path> pin = {};      ///< with history: a night whose level the newest is compared with, too
  double at_least = 0.1;  ///< with history: undecided where a slowdown by this share could go unseen
  std::optional<std::string> acknowledge = {};      ///< with history: accept the slowdowns, for this reason
  std::vector<std::string> acknowledge_cases = {};  ///< of these cases only; empty: of all
  std::optional<Path> night = {};                   ///< write the rounds as a night of a history, too
  std::optional<Path> json = {};                    ///< the table, written to this file too
  std::optional<Path> csv = {};
  std::optional<Path> junit = {};
  bool allow_undecided = false;  ///< exit code 0 instead of 5 where nothing could be decided
  bool dry_run = false;          ///< check the options and the files to be written, and no more
};

/// "LABEL=FILE" as file and label; the label is empty where there is none, and where a file of the whole name
/// exists. Throws std::invalid_argument where the label or the file is empty.
std::pair<std::filesystem::path, std::string> split_label(std::string const& text);

/// Returns "2%" or "0.02" as a share. Throws std::invalid_argument, with the option's name, unless it is
/// positive and below 1.
double parse_share(std::string const& option, std::string const& text);

}  // namespace ddproxy::results
