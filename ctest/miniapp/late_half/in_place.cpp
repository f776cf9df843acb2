// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/ddp.hpp"

namespace ddproxy::model {

/// A strategy that exists only for a test. It averages as ddp() does, but reduces the gradients where they
/// are, without the copies into buckets that the input asks for. So it is faster than `bucketed` if the
/// copies are slow. Its row has the rule `cap`.
RankGraphs in_place(BackwardPass const& pass, Ddp const& step, std::size_t ranks) {
  Ddp without_copies = step;
  without_copies.copies = CopyMode::none;
  return ddp(pass, without_copies, ranks);
}

}  // namespace ddproxy::model
