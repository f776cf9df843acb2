// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace ddproxy::results {

/// The indices of the units that a relabelling chooses: units that keep their sign, or units that form the
/// new side.
using Relabelling = std::vector<std::size_t>;
using Relabellings = std::vector<Relabelling>;

/// Returns subsets of n units. The first contains all units; it is the observed one. It returns all 2^n
/// subsets if there are at most `most`; otherwise it returns `most` subsets, of which all but the first are
/// random with a fixed seed.
Relabellings sign_flips(std::size_t n, std::size_t most);

/// Returns choices of `next` units out of base + next units. The first contains the last `next` units; it is
/// the observed one. It returns all C(base + next, next) choices if there are at most `most`; otherwise it
/// returns `most` choices, of which all but the first are random with a fixed seed.
Relabellings regroupings(std::size_t base, std::size_t next, std::size_t most);

}  // namespace ddproxy::results
