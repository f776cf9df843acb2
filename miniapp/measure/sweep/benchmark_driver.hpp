// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ddproxy {

/// Passes Google Benchmark its own arguments, those after `--`. Throws std::invalid_argument for an argument
/// that Google Benchmark does not know. Also throws for what a sweep does not support: repetitions, the list
/// of tests, and BENCHMARK_FILTER in the environment.
void initialize_benchmark(std::vector<std::string> const& arguments);

/// Throws std::invalid_argument if the filter in these arguments leaves out every case of every round.
void require_some(std::vector<std::string> const& cases, int rounds);

/// One sample to take.
struct PlannedSample {
  std::size_t item;  ///< index of the case; a part has an index behind those of the cases
  int round;         ///< from 0
  std::string name;  ///< of the case or the part
};

/// Takes the samples in this order with Google Benchmark, one iteration each. `measure` takes one sample and
/// returns its seconds. Google Benchmark prints its report to standard output if it was given arguments of
/// its own, and prints nothing otherwise.
void drive(std::vector<PlannedSample> const& plan,
           std::function<double(std::size_t item, int round)> const& measure);

/// Returns whether Google Benchmark was given arguments of its own. If so, its report covers one call of
/// drive(), so all samples must be planned in one call.
bool has_own_arguments();

}  // namespace ddproxy
