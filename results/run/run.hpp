// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
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
  std::string value = {};          ///< empty: the file does not contain the condition
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
  std::string valid;     ///< `valid` in this version's words; "missing" if a finished file has no such
                         ///< attribute; empty for an unfinished file
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
  CaseTimes const* find(std::string const& name) const {
    const auto found = std::ranges::find(cases, name, &CaseTimes::name);
    return found == cases.end() ? nullptr : &*found;
  }
};

}  // namespace ddproxy::results
