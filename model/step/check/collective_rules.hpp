// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "model/step/step_graph.hpp"
#include "model/step/violation.hpp"

namespace ddproxy::model {

/// Checks the roots of the broadcasts and the peers of the sends and receives of a class of ranks. Adds a
/// violation of Rule::well_formed if a root or a peer is missing, if it is no place in the group, if a rank
/// is its own peer, if the root of a broadcast does not read, or if another rank reads. The group of a send
/// or receive has two ranks, so the only valid peer is the place of the other rank.
///
/// All communicators must exist and contain the ranks of the class, and the modes of the accesses must fit
/// the verbs.
void check_roots_and_peers(RankGraphs const& step, std::size_t rank_class, Violations& violations);

/// Adds a violation of Rule::same_order for each communicator that a class of ranks uses on several lanes.
/// Lanes do not wait for each other, so the collectives of such a communicator would have no fixed order. In
/// a run the engine of each lane has its own duplicate of the communicator, so a collective on one lane never
/// matches a collective on another lane. Every strategy uses one lane for each communicator.
void check_lanes(RankGraphs const& step, std::size_t rank_class, Violations& violations);

}  // namespace ddproxy::model
