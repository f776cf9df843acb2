// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/collectives/drivers/collective_call.hpp"

namespace ddproxy {

/// Equal runs of elements. They lie `step` elements apart in the memory of a lane, and one behind another in
/// a buffer.
struct Runs {
  std::size_t count = 0;      ///< runs; 0 where the rank reads, or assigns, nothing
  Slice first = {0, 0};       ///< in the memory
  std::size_t step = 0;       ///< from the start of one run to that of the next in the memory
  std::size_t in_buffer = 0;  ///< where the first run begins in the buffer
};

/// Cuts a collective into pieces, so that a piece fits a buffer and stays in cache. A piece has the same
/// elements of each part: a reduce-scatter of x elements over n ranks has n parts of x/n elements, of which
/// a piece has q each, and the buffer holds these n q elements in the order of the ranks. What is not
/// divided among ranks is one part.
class CallPieces {
 public:
  CallPieces() = default;
  /// A piece has at most `most_elements` in the buffer, but at least one of each part.
  CallPieces(CollectiveCall const& call, GroupPlace place, std::size_t most_elements);

  CollectiveCall const& call() const { return call_; }
  std::size_t count() const { return count_; }
  std::size_t elements(std::size_t piece) const { return parts_ * part_elements(piece); }  ///< in the buffer
  std::size_t part_elements(std::size_t piece) const;                                      ///< q
  /// What the rank reads of this piece, and what it assigns.
  Runs read(std::size_t piece) const { return runs(piece, call_.read); }
  Runs assigned(std::size_t piece) const { return runs(piece, call_.assigned); }
  /// The collective of this piece on a memory in which the buffer begins at `base`, in place.
  CollectiveCall in_buffer(std::size_t piece, std::size_t base) const;

 private:
  Runs runs(std::size_t piece, Slice slice) const;

  CollectiveCall call_{};
  std::size_t rank_ = 0;
  std::size_t parts_ = 1;
  std::size_t part_ = 0;       // elements of a part
  std::size_t most_part_ = 0;  // elements of each part in a piece
  std::size_t count_ = 0;
};

}  // namespace ddproxy
