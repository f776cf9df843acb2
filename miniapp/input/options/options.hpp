// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/input/options/account_options.hpp"
#include "miniapp/input/options/memory_options.hpp"
#include "miniapp/input/options/predict_options.hpp"
#include "miniapp/input/options/turn_options.hpp"
#include "model/step/step_graph.hpp"
#include "results/compare/compare_options.hpp"

namespace ddproxy {

/// The value of --resume that continues FILE.part of `-o FILE` if possible.
inline constexpr char const* resume_auto = "auto";

/// The parsed command line. docs/glossary.md explains offer, verb and case.
struct Options {
  std::string command;  ///< run, layers, allreduce, collectives, sweep, step, predict, account,
                        ///< memory or compare
  std::filesystem::path input;
  std::filesystem::path output = "results.h5";
  std::filesystem::path json;            ///< path of the JSON file; empty: none is written
  std::string label;                     ///< name of the offer, stored in the results file; empty: none
  std::filesystem::path trace;           ///< path of the Chrome trace; empty: none is written
  std::vector<std::string> trace_cases;  ///< names of the cases in the trace; empty: all
  std::vector<double> pieces_mib;        ///< `allreduce`, `collectives`: piece sizes of a fixed total, MiB
  double total_mib = 0;            ///< `allreduce`, `collectives`: the fixed total, MiB; 0: all gradients
  std::vector<model::Verb> verbs;  ///< `collectives`: the collectives to measure, each once
  std::vector<double> sizes_mib;   ///< `collectives`: sizes on the wire, MiB; empty: the sizes of `allreduce`
  std::optional<int> group;        ///< `collectives`: ranks of a group, at least 2; not given: all ranks
  bool strided = false;            ///< `collectives`: a group has ranks that are equally far apart
  std::optional<double> max_model_error, max_regret;  ///< limits of the score; exit code 1 if exceeded
  std::optional<double> max_seconds;                  ///< replaces [sweep] max_seconds
  /// `run`, `sweep`, `step`: unfinished results file of the run to continue, or resume_auto; empty: not given
  std::string resume;
  std::string against;        ///< `step`: "published" or the path of a table of step times; empty: not given
  bool dry_run = false;       ///< print what a run would do, and run nothing
  bool share_device = false;  ///< several ranks may use one device
  int threads = 0;            ///< number of threads with which a rank computes on a host; 0: not given
  bool strict = false;        ///< more threads than cores are an error
  std::vector<std::string> benchmark;  ///< arguments after --, for Google Benchmark; `compare`: the new files
  std::string program;                 ///< name of the program, without its folder
  std::string command_line;            ///< the command line as it was given
  PredictOptions predict;
  AccountOptions account;
  MemoryOptions memory;
  TurnOptions turns;      ///< `sweep` only
  int planted_state = 0;  ///< tests only: number of probes after which a simulated state changes; 0: none
  results::CompareOptions compare;

  /// `allreduce`, `collectives`: returns whether single messages are measured, not only pieces of a total.
  bool measures_sizes() const { return pieces_mib.empty() || !sizes_mib.empty(); }
};

}  // namespace ddproxy
