// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "miniapp/recorder.hpp"
#include "miniapp/workbench.hpp"
#include "planner/options.hpp"

namespace ddproxy {

/// One command at work: measures on all ranks, records and prints on rank 0. Every method is collective.
class Session {
 public:
  /// Throws Agreed (exit 2) where the results file cannot be created.
  Session(Options const& options, Workbench bench);

  void layers();     ///< measures, records and prints the operations; writes the CSV files
  void allreduce();  ///< the same for a(x)
  void pieces();     ///< a fixed total in pieces
  void predict();    ///< every case, from the two measurements; the table of the input serves for a replay
  void verify();     ///< every case; throws Agreed (exit 3) where one is wrong
  void sweep();      ///< measures every case
  void finish();     ///< closes the file, prints the figure of merit

 private:
  bool root() const { return bench_.runtime.root(); }
  std::filesystem::path beside(std::string const& ending) const;
  void say(std::string const& progress) const;
  std::string verify_case(CaseReport const& report);
  void conclude_sweep();

  Options const& options_;
  Workbench bench_;
  std::optional<Recorder> recorder_;
  std::vector<CaseReport> reports_;
  ReadyTimes ready_;
  std::vector<SizeTimes> allreduce_times_;
  std::optional<model::TableCost> cost_;
  std::vector<std::vector<Sample>> samples_;
  std::vector<std::vector<std::int64_t>> order_;
  std::vector<Trace> traces_;
  FigureOfMerit figures_;
  bool predicted_ = false, verified_ = false;
};

/// Runs options.command.
void execute(Options const& options, Runtime const& runtime);

}  // namespace ddproxy
