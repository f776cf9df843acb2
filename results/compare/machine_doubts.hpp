// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/compare/trends.hpp"

namespace ddproxy::results {

/// Returns the warnings about the order of the machines. `ranked`: the machines, the best one first. There is
/// at most one warning of each kind: about machines without a figure of merit, with too few runs or samples,
/// with a single run, and about pairs of machines that cannot be told apart. Each warning names at most three
/// machines or pairs: the machines with the fewest values, the pairs with the best machines.
std::vector<std::string> machine_doubts(std::span<const MachineMerit> ranked);

}  // namespace ddproxy::results
