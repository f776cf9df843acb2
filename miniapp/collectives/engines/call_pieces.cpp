// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/call_pieces.hpp"

#include <algorithm>

namespace ddproxy {
CallPieces::CallPieces(CollectiveCall const& call, GroupPlace place, std::size_t most_elements)
    : call_(call),
      rank_(static_cast<std::size_t>(place.rank)),
      parts_(has_parts(call.verb) ? static_cast<std::size_t>(place.ranks) : 1),
      part_(full_slice(call).count / parts_),
      most_part_(std::max<std::size_t>(most_elements / parts_, 1)),
      count_(std::max<std::size_t>((part_ + most_part_ - 1) / most_part_, 1)) {}

std::size_t CallPieces::part_elements(std::size_t piece) const {
  return std::min(most_part_, part_ - piece * most_part_);
}

// If the slice is only this rank's part, its elements lie in the buffer at the place of this part.
Runs CallPieces::runs(std::size_t piece, Slice slice) const {
  if (slice.count == 0) return {};
  const std::size_t elements = part_elements(piece), at = slice.offset + piece * most_part_;
  const bool own_part = parts_ > 1 && slice.count == part_;
  return {own_part ? 1 : parts_, {at, elements}, part_, own_part ? rank_ * elements : 0};
}

CollectiveCall CallPieces::in_buffer(std::size_t piece, std::size_t base) const {
  const std::size_t q = part_elements(piece);
  const auto moved = [&](Slice slice) -> Slice {
    if (slice.count == 0) return {base, 0};
    if (parts_ > 1 && slice.count == part_) return {base + rank_ * q, q};
    return {base, parts_ * q};
  };
  CollectiveCall call = call_;
  call.read = moved(call_.read);
  call.assigned = moved(call_.assigned);
  return call;
}

}  // namespace ddproxy
