// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

struct VerifiedCall {
  std::int64_t wrong;  ///< elements over all ranks; -1 where nothing was moved
  double seconds;      ///< that the collective took, maximum over ranks
};

/// Carries out one collective on known numbers and counts the elements that are wrong afterwards. What a rank
/// contributes to a sum differs from rank to rank, and what a rank does not send is 0. So a rank that is
/// missing or counted twice, a part at the wrong place and a wrong root are seen. The call is in place, with
/// rank 0 as the root. The arena stays finite: sums of NaN or of ever growing numbers may take another time.
/// Collective.
VerifiedCall verify_collective(RankContext& context, CollectiveCall const& call);

}  // namespace ddproxy
