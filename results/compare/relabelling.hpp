// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy::results {

/// The indices of the units that a relabelling chooses: that keep their sign, or that form the new side.
using Relabelling = std::vector<std::size_t>;
using Relabellings = std::vector<Relabelling>;

/// Subsets of n units; the first holds all of them, which is what was observed. All 2^n where these are at
/// most `most`, otherwise `most` of which all but the first are random, with a fixed seed.
Relabellings sign_flips(std::size_t n, std::size_t most);

/// Choices of `next` of base + next units; the first holds the last `next` units, which is what was observed.
/// All C(base + next, next) where these are at most `most`, otherwise `most`, as above.
Relabellings regroupings(std::size_t base, std::size_t next, std::size_t most);

}  // namespace ddproxy::results
