// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "miniapp/options/predict_options.hpp"
#include "miniapp/options/turn_options.hpp"
#include "model/step/step_graph.hpp"
#include "results/compare/compare_options.hpp"

namespace ddproxy {

/// The command line.
struct Options {
  std::string command;  ///< run, layers, allreduce, collectives, sweep, predict or compare
  std::filesystem::path input;
  std::filesystem::path output = "results.h5";
  std::filesystem::path json;            ///< empty: none
  std::string label;                     ///< of the offer, kept in the results file; empty: none
  std::filesystem::path trace;           ///< empty: none
  std::vector<std::string> trace_cases;  ///< empty: all
  std::vector<double> pieces_mib;  ///< `allreduce`, `collectives`: pieces in which a fixed total is moved
  double total_mib = 0;            ///< `allreduce`, `collectives`: that total; 0: all gradients
  std::vector<model::Verb> verbs;  ///< `collectives`: what is measured, none twice
  std::vector<double> sizes_mib;   ///< `collectives`: the sizes on the wire; empty: those of `allreduce`
  std::optional<double> max_model_error, max_regret;  ///< limits of the score; beyond: exit code 1
  std::optional<double> max_seconds;                  ///< in place of [sweep] max_seconds
  bool dry_run = false;
  bool share_device = false;           ///< several ranks may use one device
  int threads = 0;                     ///< with which a rank computes on a host; 0: nothing said
  bool strict = false;                 ///< more threads than cores are an error
  std::vector<std::string> benchmark;  ///< Google Benchmark's arguments, after --
  std::string program;                 ///< its name, without the folder
  std::string command_line;            ///< as it was given
  PredictOptions predict;
  TurnOptions turns;      ///< `sweep` only
  int planted_state = 0;  ///< tests only: probes of each turn of two planted states of the machine; 0: none
  results::CompareOptions compare;
};

}  // namespace ddproxy
