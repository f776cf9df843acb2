// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy::results {

/// One case of a run.
struct CaseTimes {
  std::string name;
  std::string strategy;
  std::vector<double> samples;  ///< T, seconds, maximum over ranks; NaN where it was not measured
  double seconds;               ///< median of the finite samples, NaN where there is none
  bool ours = true;             ///< false: another program's, as PyTorch DDP's of `--beside`
};

/// One of the conditions under which a run was measured.
struct Condition {
  std::string key;                 ///< of --allow
  std::string value = {};          ///< empty: the file does not say it
  std::vector<double> hertz = {};  ///< instead of `value`: a frequency a rank, NaN where it is not known
  double round_trip = 0;           ///< instead of `value`: of the machine's state, seconds; 0: not known
};

/// What two runs are compared by.
struct Run {
  std::filesystem::path path;
  bool complete = false;
  std::string created;   ///< ISO time
  std::string revision;  ///< of the source
  std::string machine;   ///< device kind, ranks, host names without their numbers
  std::string label;     ///< what the user called the offer; empty: nothing
  bool replay = false;   ///< compute or all-reduce took its times from a table
  std::string valid;     ///< of the figure of merit, as this version says it; "missing" in a finished file
                         ///< that lacks it; empty in one that is not finished
  double tokens = 0.0;   ///< ranks x tokens of a rank; NaN where the file does not say
  using Values = std::vector<std::pair<std::string, std::string>>;  ///< key and value
  Values identity;  ///< what must be equal, by the key of --allow; empty: not known, and not compared
  std::vector<Condition> conditions;    ///< what should be equal: a difference is a warning
  std::vector<std::string> unverified;  ///< own cases with times whose gradients nobody verified
  bool is_twin = false;                 ///< both compute and all-reduces took their times from tables
  std::string session;                  ///< of scripts/gate; empty: the run is no round of a gate
  std::int64_t round = 0;
  std::vector<CaseTimes> cases;  ///< of the sweep, then the parts of [gate]

  CaseTimes const* find(std::string const& name) const;
};

/// Reads a results file in a child process, so that no file, however damaged, crashes or hangs this one.
/// Throws std::invalid_argument, one line that names the file: as Reader does, where a case's gradients were
/// wrong, where a time is no positive number, where a case's name cannot be printed, and where the child
/// crashes, takes longer than `patience` seconds and one second a MiB of the file, or needs more memory than
/// 1 GiB and four times the file. Other texts are made printable. Throws std::runtime_error where no process
/// can be started.
Run read_run(std::filesystem::path const& path, double patience = 20.0);

/// One file, or a copy of it: begun at the same time, of the same identity, with the same samples.
bool is_same_run(Run const& a, Run const& b);

/// Throws std::invalid_argument naming two files that hold the same run.
void check_distinct(std::span<const Run> runs);

/// True where the run has each key of Run::identity, in the order of known_keys().
bool has_whole_identity(Run const& run);

/// All keys of --allow: "model, step, ...".
std::string known_keys();

/// Throws std::invalid_argument for a key that --allow does not have.
void check_keys(std::span<const std::string> allowed);

/// Throws std::invalid_argument naming a run whose figure of merit is not valid or whose gradients were not
/// verified, and what differs between any two runs, keys in `allowed` excepted.
void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed);

/// What could not be compared because a file does not say it, and what differs and was not refused; a line
/// each.
std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed);

/// "'A' against 'B'"; of two lists what only one of them has.
std::string against(std::string const& key, std::string const& a, std::string const& b);

}  // namespace ddproxy::results
