// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

namespace ddproxy::bench {

/// Prints nothing. All ranks but rank 0 report to it.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

/// Runs all registered benchmarks on every rank. Rank 0 alone reports them.
inline void run_on_all_ranks(bool root) {
  SilentReporter silent;
  if (root)
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&silent);
}

}  // namespace ddproxy::bench
