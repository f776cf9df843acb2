// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "miniapp/errors/clock.hpp"

namespace ddproxy {

/// The link that the lanes of one rank share in a replay. While c transfers are in flight, each of them has
/// 1/c of the speed that it has alone. This is what the prediction assumes: model::CostModel puts all
/// communication lanes of a rank on one link and gives each of c collectives the speed 1/c.
///
/// Problem: the end of a transfer is not known when the transfer begins. The end moves whenever another
/// transfer begins or ends. A lane can also report the start of a transfer late, because its thread wakes up
/// late. Therefore begin() takes the time at which the transfer started. ends_by() makes the end of a
/// transfer final when its lane asks for it. The earliest end always becomes final first. So the ends do not
/// depend on when threads wake up. There is one exception. When a start is reported late, the end of another
/// transfer may already be final. The late transfer should have slowed this other transfer, which therefore
/// ends too early, by at most the delay of the report. The late transfer uses the link only from that end on,
/// so the link never carries more than its bandwidth.
///
/// Order of calls: add_lane() for each lane, before any transfer. Then, for each transfer of a lane, begin(),
/// and then ends_by() until it returns a time. Every lane must keep calling ends_by() while it has a
/// transfer, because the ends of the other lanes wait for it. Any thread may call the methods, one thread at
/// a time for a lane. Only add_lane() allocates memory.
class ReplayLink {
 public:
  /// Adds a lane without a transfer and returns its index.
  std::size_t add_lane();
  /// Begins a transfer that starts at `start` and takes `seconds` alone. The lane must have no transfer.
  void begin(std::size_t lane, Clock::time_point start, double seconds);
  /// Returns the time at which the transfer of a lane ends, if the transfer has ended by `now`. The end is
  /// then final, and the lane has no transfer. Returns nothing while the transfer is in flight. Also returns
  /// nothing while a transfer of another lane has an earlier end, and that lane has not asked for its end.
  /// A thread that drives several lanes must begin all transfers that are ready before it calls this method,
  /// as JointDriver does.
  std::optional<Clock::time_point> ends_by(std::size_t lane, Clock::time_point now);
  /// Returns the earliest end of all transfers, as far as it is known now. Returns the largest time if there
  /// is no transfer.
  Clock::time_point next_end();

 private:
  struct Transfer {
    bool in_flight = false;
    Clock::time_point from{};  ///< it uses the link from here on
    /// Seconds that the rest of the transfer takes alone, counted from `settled_` or `from`, whichever is
    /// later.
    double left = 0;
  };
  struct End {
    std::size_t lane;
    Clock::time_point when = Clock::time_point::max();
  };
  struct Load {
    std::size_t active = 0;    ///< number of transfers that use the link
    std::size_t shortest = 0;  ///< the lane of the transfer with the least time left
    Clock::time_point next_begin = Clock::time_point::max();
  };
  Load load_at(Clock::time_point now) const;
  End advance_to_first_end();
  void advance(Clock::time_point from, Clock::time_point to, std::size_t active);

  std::mutex mutex_;
  std::vector<Transfer> transfers_;                       // [lane], at the time settled_
  std::vector<Transfer> ahead_;                           // [lane], the transfers at the first end
  Clock::time_point settled_ = Clock::time_point::min();  // the last end that is final
};

}  // namespace ddproxy
