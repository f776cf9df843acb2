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
  std::vector<double> samples;  ///< T in seconds, maximum over ranks; NaN if not measured
  double seconds;               ///< median of the finite samples; NaN if there is none
  bool ours = true;             ///< false: a case of another program, such as PyTorch DDP from `--beside`
};

/// One condition under which a run was measured.
struct Condition {
  std::string key;                 ///< key for --allow
  std::string value = {};          ///< empty: the file does not contain it
  std::vector<double> hertz = {};  ///< replaces `value`: one frequency per rank, NaN if unknown
  double round_trip = 0;           ///< replaces `value`: round trip of the machine's state, s; 0: unknown
};

/// The data of a run that a comparison needs.
struct Run {
  std::filesystem::path path;
  bool complete = false;
  std::string created;   ///< ISO time
  std::string revision;  ///< source revision
  std::string machine;   ///< device kind, ranks, host names without their numbers
  std::string label;     ///< the user's name for the offer; empty: none
  bool replay = false;   ///< compute or all-reduces took their times from a table
  std::string valid;     ///< `valid` in this version's words; "missing" if a finished file lacks it;
                         ///< empty for an unfinished file
  double tokens = 0.0;   ///< ranks x tokens per rank; NaN if the file does not contain them
  using Values = std::vector<std::pair<std::string, std::string>>;  ///< key and value
  Values identity;  ///< must be equal, by key for --allow; an empty value is unknown and not compared
  std::vector<Condition> conditions;    ///< should be equal: a difference gives a warning
  std::vector<std::string> unverified;  ///< own cases with times whose gradients were not verified
  bool is_twin = false;                 ///< compute and all-reduces both took their times from tables
  std::string session;                  ///< session of scripts/gate; empty: the run is not a round of a gate
  std::int64_t round = 0;
  std::vector<CaseTimes> cases;  ///< cases of the sweep, then the parts of [gate]

  /// Returns the case with that name, or nullptr.
  CaseTimes const* find(std::string const& name) const;
};

/// Reads a results file. It reads in a child process, so that even a damaged file cannot crash or hang this
/// process. Names of cases are kept as they are; other texts are made printable.
///
/// Throws std::invalid_argument, one line that names the file, in these cases: Reader rejects the file; a
/// case's gradients were wrong; a time is not a positive number; a case's name cannot be printed; the child
/// crashes; the child takes longer than `patience` seconds plus one second per MiB of the file; the child
/// needs more memory than 1 GiB plus four times the file size. Throws std::runtime_error if no process can be
/// started.
Run read_run(std::filesystem::path const& path, double patience = 20.0);

/// Returns true if both are one file or copies of it: they started at the same time and have the same
/// identity and samples.
bool is_same_run(Run const& a, Run const& b);

/// Throws std::invalid_argument with the names of two files that hold the same run.
void check_distinct(std::span<const Run> runs);

/// Returns true if the run has every key of Run::identity, in the order of known_keys().
bool has_whole_identity(Run const& run);

/// Returns all keys of --allow as "model, step, ...".
std::string known_keys();

/// Throws std::invalid_argument for a key that --allow does not know.
void check_keys(std::span<const std::string> allowed);

/// Throws std::invalid_argument if a run's figure of merit is not valid or its gradients were not verified,
/// and if any two runs differ in their identity. The message names the runs. Keys in `allowed` are skipped.
void check_comparable(std::span<const Run> runs, std::span<const std::string> allowed);

/// Returns one warning per line: what could not be compared because a file does not contain it, and what
/// differs but was not rejected.
std::vector<std::string> doubts_of(std::span<const Run> runs, std::span<const std::string> allowed);

/// Returns "'A' against 'B'". For two lists it returns the parts that only one of them has.
std::string against(std::string const& key, std::string const& a, std::string const& b);

}  // namespace ddproxy::results
