// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "miniapp/measure/calibration/measure.hpp"

namespace ddproxy {

/// Returns the calls of the next sample of `times`: `calls` calls on consecutive slices of the arena.
///
/// A reduce-scatter assigns its part at the end of the arena, outside the slices that it reads. In a sharded
/// step, too, the shard lies outside the bucket. If the arena has no room for the part, the reduce-scatter
/// works in place; then ddproxy has to copy the result (MpiWire).
///
/// For sends the ranks form pairs (in_place() in collective_call.hpp), and the two ranks of a pair send in
/// turn, as in a ping-pong. So a rank sends only after the message before has arrived, and the time of a call
/// is that of a whole transfer.
std::vector<CollectiveCall> row_of_sample(RankContext const& context, SizeTimes const& times,
                                          std::size_t calls);

/// Returns the calls that move `total` bytes on the wire in pieces of `piece` bytes; the last piece may be
/// smaller. The pieces of sends all go in the same direction.
std::vector<CollectiveCall> row_of_pieces(RankContext const& context, model::Verb verb, std::int64_t total,
                                          std::int64_t piece);

}  // namespace ddproxy
