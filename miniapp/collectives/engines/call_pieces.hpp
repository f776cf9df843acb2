// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/collectives/drivers/collective_call.hpp"

namespace ddproxy {

/// Ranges of consecutive elements ("runs"), all of the same length. In the memory of a lane they start `step`
/// elements apart. In a buffer they follow one another without gaps.
struct Runs {
  std::size_t count = 0;      ///< number of runs; 0 if the rank reads or assigns nothing
  Slice first = {0, 0};       ///< the first run in the memory
  std::size_t step = 0;       ///< elements from the start of one run to the start of the next in the memory
  std::size_t in_buffer = 0;  ///< index of the first run's first element in the buffer
};

/// Cuts a collective into pieces, so that each piece fits into a buffer and stays in cache.
///
/// Example: a reduce-scatter of x elements over n ranks has n parts of x/n elements. A piece has q elements
/// of each part, at the same place in each part. The buffer holds these n q elements in the order of the
/// ranks. A collective without parts (has_parts() in collective_call.hpp) counts as one part.
class CallPieces {
 public:
  CallPieces() = default;
  /// Cuts a call. A piece has at most `most_elements` elements in the buffer, but at least one element of
  /// each part.
  CallPieces(CollectiveCall const& call, GroupPlace place, std::size_t most_elements);

  CollectiveCall const& call() const { return call_; }
  std::size_t count() const { return count_; }  ///< number of pieces, at least 1
  /// Returns the number of elements of this piece in the buffer: n q in the example.
  std::size_t elements(std::size_t piece) const { return parts_ * part_elements(piece); }
  /// Returns the number of elements that this piece has of each part: q in the example.
  std::size_t part_elements(std::size_t piece) const;
  /// Returns the elements of this piece that the rank reads.
  Runs read(std::size_t piece) const { return runs(piece, call_.read); }
  /// Returns the elements of this piece that the rank assigns.
  Runs assigned(std::size_t piece) const { return runs(piece, call_.assigned); }
  /// Returns the collective of this piece, which works in place in the buffer. The slices of the returned
  /// call are ranges of elements of a memory in which the buffer begins at element `base`.
  CollectiveCall in_buffer(std::size_t piece, std::size_t base) const;

 private:
  Runs runs(std::size_t piece, Slice slice) const;

  CollectiveCall call_{};
  std::size_t rank_ = 0;
  std::size_t parts_ = 1;
  std::size_t part_ = 0;       // number of elements of a part
  std::size_t most_part_ = 0;  // largest q
  std::size_t count_ = 0;
};

}  // namespace ddproxy
