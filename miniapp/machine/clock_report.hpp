// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "miniapp/machine/runtime.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// The clocks of the GPUs of all ranks at one moment, in the order of the ranks. The list is empty if the
/// clocks of a rank are not known. It is also empty on every rank but rank 0.
using ClocksOfRanks = std::vector<GpuClocks>;

/// Gathers the clocks of the GPUs of all ranks on rank 0. `probe` may be null. Collective.
ClocksOfRanks gather_clocks(Runtime const& runtime, StateProbe const* probe);

/// Returns, for each rank, the seconds in which power or heat held the clock of its GPU down between two
/// moments. NaN: not known. Returns an empty list if `before` and `after` differ in length.
std::vector<double> seconds_held_down(ClocksOfRanks const& before, ClocksOfRanks const& after);

/// Returns a warning of one line if a GPU has a power cap that is more than 1 W below its default. Returns an
/// empty string otherwise.
std::string doubt_about_power_caps(ClocksOfRanks const& clocks);

/// Returns a warning of one line in two cases: power or heat held the clock of a GPU down for more than 0.1 s
/// between two moments, or a GPU is throttled at one of these moments (is_throttled()). Returns an empty
/// string otherwise.
std::string doubt_about_throttling(ClocksOfRanks const& before, ClocksOfRanks const& after);

}  // namespace ddproxy
