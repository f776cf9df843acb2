// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// Returns the bytes that one of n ranks must send in a collective of x bytes, divided by x: 2(n-1)/n for
/// all_reduce, (n-1)/n for reduce_scatter and all_gather, 1 for broadcast and send, 0 for receive. nccl-tests
/// uses the same factors for its "bus bandwidth" (doc/PERFORMANCE.md).
double sent_share(Verb verb, std::size_t ranks);

}  // namespace ddproxy::model
