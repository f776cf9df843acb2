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

/// Holds the times of one case of a run. A case is a row of the sweep, a part that [gate] of the input
/// measures (strategy "part"), or a whole step or one of its parts (strategy "step").
struct CaseTimes {
  std::string name;
  std::string strategy;
  /// Times in seconds (of a row of the sweep: T), maximum over ranks. NaN if not measured, or if the run left
  /// the sample out of its own figures.
  std::vector<double> samples;
  double seconds;    ///< median of the finite samples; NaN if there is none
  bool ours = true;  ///< false: PyTorch DDP, added by scripts/record-torch.py --beside
};

/// Describes one condition under which a run was measured.
struct Condition {
  std::string key;                 ///< key for --allow
  std::string value = {};          ///< empty: the file does not contain the condition
  std::vector<double> hertz = {};  ///< used instead of `value`: one frequency per rank, NaN if unknown
  /// Used instead of `value`: round trip of a cache line between two cores, in seconds. It is the round trip
  /// in the machine state to which the figures of the run belong (model/predict/machine_state.hpp). The value
  /// 0 means unknown.
  double round_trip = 0;
};

/// Holds the data of a run that a comparison needs.
struct Run {
  std::filesystem::path path;
  bool complete = false;
  std::string created;             ///< ISO time
  std::string run_id;              ///< names the run; empty in files of earlier versions
  std::string resumed_from;        ///< run_id of the interrupted run that this run continued; empty: none
  std::int64_t rounds_before = 0;  ///< complete rounds of resumed_from and of the runs that it continued
  std::string revision;            ///< source revision
  std::string machine;             ///< device kind, number of ranks, host names without their digits
  std::string label;               ///< name that the user gave to the machine (--label); empty: none
  bool replay = false;             ///< compute or all-reduces were replayed
  std::string valid;    ///< the attribute `valid`, translated if an earlier version wrote the file;
                        ///< "missing" if a finished file with cases of ddproxy lacks it; else empty
  double tokens = 0.0;  ///< tokens of all ranks in a step; NaN if the file lacks a number that is needed
  using Values = std::vector<std::pair<std::string, std::string>>;  ///< key and value
  Values identity;  ///< values that must be equal in compared runs; --allow accepts these keys; an empty
                    ///< value is unknown and not compared
  std::vector<Condition> conditions;  ///< values that should be equal: a difference causes a warning
  std::vector<std::string>
      unverified;                ///< names of ddproxy's cases that have times but no verified gradients
  bool is_twin = false;          ///< compute and all-reduces were both replayed
  std::string session;           ///< session of scripts/gate; empty: the run is not a round of a gate
  std::int64_t round = 0;        ///< number of the round in the session, from 1
  std::vector<CaseTimes> cases;  ///< cases of the sweep, or a step and its parts; then what [gate] of the
                                 ///< input measures besides them, for instance "compute/linear" or "bucket"

  /// Returns whether the run measured whole steps.
  bool has_steps() const { return std::ranges::find(cases, "step", &CaseTimes::strategy) != cases.end(); }

  /// Returns the case with that name, or nullptr.
  CaseTimes const* find(std::string const& name) const {
    const auto found = std::ranges::find(cases, name, &CaseTimes::name);
    return found == cases.end() ? nullptr : &*found;
  }
};

}  // namespace ddproxy::results
