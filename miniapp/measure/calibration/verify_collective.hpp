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
/// Each rank contributes different numbers to a sum. For other verbs, elements that a rank does not send are
/// 0 before the call. So the check finds a rank that is missing or counted twice, a part at the wrong place,
/// and a wrong root. `call` is in place, with rank 0 as the root (in_place()).
///
/// Afterwards the arena holds finite numbers, because sums of NaN or of ever growing numbers may take a
/// different time. Collective.
VerifiedCall verify_collective(RankContext& context, CollectiveCall const& call);

}  // namespace ddproxy
