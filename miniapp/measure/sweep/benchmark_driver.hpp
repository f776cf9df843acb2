// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ddproxy {

/// Passes to Google Benchmark its own arguments, which are those after `--` on the command line. Throws
/// std::invalid_argument for an argument that Google Benchmark does not know. Also throws
/// std::invalid_argument for features that a sweep does not support: repetitions, the list of tests, and the
/// environment variable BENCHMARK_FILTER.
void initialize_benchmark(std::vector<std::string> const& arguments);

/// Throws std::invalid_argument if the filter among the arguments of initialize_benchmark() is not a regular
/// expression, or if it leaves out every case in every round. `cases` are the names of the cases. So a filter
/// that keeps only parts is refused.
void require_some(std::vector<std::string> const& cases, int rounds);

/// One sample that a sweep is going to take, of a case or of a part.
struct PlannedSample {
  std::size_t item;  ///< index of the case, or number of cases + index of the part
  int round;         ///< from 0
  std::string name;  ///< name of the case or the part
};

/// Takes the samples with Google Benchmark, in the order of `plan`, one iteration each. `measure` takes one
/// sample and returns its seconds. Google Benchmark prints its report to standard output if
/// has_own_arguments() is true, and prints nothing otherwise.
void drive(std::vector<PlannedSample> const& plan,
           std::function<double(std::size_t item, int round)> const& measure);

/// Returns whether initialize_benchmark() received arguments. If so, Google Benchmark prints a report about
/// each call of drive(). Pass all samples to one call, so that one report covers all of them.
bool has_own_arguments();

}  // namespace ddproxy
