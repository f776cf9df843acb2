// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/nccl_message.hpp"

namespace ddproxy {

NcclMessage nccl_message(CollectiveCall const& call, GroupPlace place, float* memory) {
  const Slice full = full_slice(call);
  const auto offset_of = [&](Slice slice) { return slice.count > 0 ? slice.offset : full.offset; };
  const std::size_t parts = has_parts(call.verb) ? static_cast<std::size_t>(place.ranks) : 1;
  const bool averages = call.reduction == model::Reduction::average;
  return {call.verb,
          memory + offset_of(call.read),
          memory + offset_of(call.assigned),
          full.count / parts,
          ncclFloat,
          averages ? ncclAvg : ncclSum,
          call.root_or_peer};
}

}  // namespace ddproxy
