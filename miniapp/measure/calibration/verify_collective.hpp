// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// The result of verify_collective().
struct VerifiedCall {
  std::int64_t wrong;  ///< wrong elements, the sum over all ranks; -1 if the collective was replayed
  double seconds;      ///< time of the collective, the maximum over the ranks
};

/// Carries out one collective on known numbers and counts the elements that are wrong afterwards.
///
/// If the collective sums, the numbers that a rank contributes depend on the rank. The elements that a rank
/// assigns and does not contribute are 0 before the call. So the check finds a rank that is missing or
/// counted twice, a part at the wrong place, and a wrong root. The numbers of a send depend on the sender.
/// The check looks for them on the receiver and also on the sender, whose memory must not change. If the lane
/// has the ranks of a group (RankContext::group), the numbers depend on the group, too. So the check notices
/// if a rank of another group took part.
///
/// A reduce-scatter may assign its part outside the elements that it reads. The check then copies the part to
/// its place among them. Any other call must work in place, with rank 0 of the group as the root, or between
/// the pairs of ranks of in_place() (collective_call.hpp).
///
/// Afterwards the elements of the arena that the call uses are finite numbers. This matters for the
/// measurements that follow, because sums of NaN, or of numbers that grow with each call, may take a
/// different time. Collective.
VerifiedCall verify_collective(RankContext& context, CollectiveCall const& call);

}  // namespace ddproxy
