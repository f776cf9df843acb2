// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy::results {

/// Holds the indices of the units that a relabelling chooses. A permutation test (family_test.hpp) exchanges
/// the labels "base" and "new" of its units, which are rounds or runs. For rounds, the chosen units keep
/// their sign. For runs, the chosen units form the new side.
using Relabelling = std::vector<std::size_t>;
using Relabellings = std::vector<Relabelling>;

/// Returns subsets of n units. The first subset contains all units; it is the observed labelling. If there
/// are at most `most` subsets, returns all 2^n. Otherwise returns `most` of them: the first one, and random
/// ones from a fixed seed.
Relabellings sign_flips(std::size_t n, std::size_t most);

/// Returns choices of `next` units out of base + next units. The first choice contains the last `next` units;
/// it is the observed labelling. If there are at most `most` choices, returns all C(base + next, next).
/// Otherwise returns `most` of them: the first one, and random ones from a fixed seed.
Relabellings regroupings(std::size_t base, std::size_t next, std::size_t most);

}  // namespace ddproxy::results
