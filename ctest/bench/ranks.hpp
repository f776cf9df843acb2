// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

// Functions for benchmarks that run on several ranks.
namespace ddproxy::bench {

/// Removes the options that begin with `name`, for instance "--iterations=", from the command line. Returns
/// the number behind the last of them; 0 if it is not a number. Returns `otherwise` if there is none.
inline std::size_t take_number(int& argc, char** argv, std::string_view name, std::size_t otherwise) {
  const auto taken = [&](char const* argument) {
    if (!std::string_view(argument).starts_with(name)) return false;
    otherwise = std::strtoul(argument + name.size(), nullptr, 10);
    return true;
  };
  argc = static_cast<int>(std::remove_if(argv + 1, argv + argc, taken) - argv);
  return otherwise;
}

/// On ranks other than 0, removes from the command line the options that make the benchmark write a file.
/// `root` is true on rank 0. Call it before benchmark::Initialize().
inline void keep_files_to_root(int& argc, char** argv, bool root) {
  const auto writes = [&](char const* argument) {
    return !root && std::string_view(argument).starts_with("--benchmark_out");
  };
  argc = static_cast<int>(std::remove_if(argv + 1, argv + argc, writes) - argv);
}

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
