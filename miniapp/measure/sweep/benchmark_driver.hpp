// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ddproxy {

/// Google Benchmark's own arguments, as given after `--`. Throws std::invalid_argument for one that it does
/// not know.
void initialize_benchmark(std::vector<std::string> const& arguments);

/// Throws std::invalid_argument where they leave out every case of every round.
void require_some(std::vector<std::string> const& cases, int rounds);

/// One sample that is to be taken.
struct PlannedSample {
  std::size_t item;  ///< index of the case
  int round;
  std::string name;
};

/// Takes the samples in this order with Google Benchmark, one iteration each; `measure` returns a sample's
/// seconds. Its own report goes to standard output where its arguments were given, else nowhere.
void drive(std::vector<PlannedSample> const& plan,
           std::function<double(std::size_t item, int round)> const& measure);

/// Whether Google Benchmark was given arguments of its own. It then reports one start of drive() only, so all
/// samples have to be planned at once.
bool has_own_arguments();

}  // namespace ddproxy
