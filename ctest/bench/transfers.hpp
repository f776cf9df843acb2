// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"

namespace ddproxy::bench {

/// Adds two calls to `calls`: this rank sends `slice` to its peer, and receives the message of the peer.
/// Ranks 0 and 1 are peers, then 2 and 3, and so on. The rank with the even number sends first, and the other
/// one receives first. So a message goes from the even rank to the odd one, and then another one comes back.
/// The received message lies `elements` elements behind the slice. If the number of ranks is odd, the last
/// rank has no peer, and nothing is added.
void add_transfers(std::vector<CollectiveCall>& calls, Slice slice, GroupPlace place, std::size_t elements);

/// Writes numbers that depend on the rank and the element to the slices that sends read. The elements that
/// receives assign must be 0. Does nothing for other verbs.
void write_sent(std::span<const CollectiveCall> calls, float* memory, int rank);

/// Returns how many received elements differ from the sent ones, which write_sent() wrote on the peer. A
/// received element lies `elements` elements behind the place of the sent one. Then sets all elements of
/// sends and receives to 0, as they were before write_sent().
std::int64_t take_wrong(std::span<const CollectiveCall> calls, float* memory, std::size_t elements);

}  // namespace ddproxy::bench
