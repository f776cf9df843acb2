// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/engines/replay_link.hpp"

#include <algorithm>
#include <stdexcept>

namespace ddproxy {
namespace {

Clock::duration rounded(double seconds) {
  return std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

std::size_t ReplayLink::add_lane() {
  const std::lock_guard lock(mutex_);
  transfers_.emplace_back();
  ahead_.emplace_back();
  return transfers_.size() - 1;
}

void ReplayLink::begin(std::size_t lane, Clock::time_point start, double seconds) {
  const std::lock_guard lock(mutex_);
  Transfer& transfer = transfers_.at(lane);
  if (transfer.in_flight) throw std::logic_error("a lane of a replay begins a transfer during another one");
  transfer = {true, std::max(start, settled_), seconds};
}

std::optional<Clock::time_point> ReplayLink::ends_by(std::size_t lane, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!transfers_.at(lane).in_flight) throw std::logic_error("a lane of a replay has no transfer to end");
  const End first = advance_to_first_end();
  if (first.lane != lane || first.when > now) return std::nullopt;
  transfers_ = ahead_;
  transfers_[lane].in_flight = false;
  settled_ = first.when;
  return settled_;
}

Clock::time_point ReplayLink::next_end() {
  const std::lock_guard lock(mutex_);
  return advance_to_first_end().when;
}

// Returns the load of the link at the time `now`.
ReplayLink::Load ReplayLink::load_at(Clock::time_point now) const {
  Load load;
  for (std::size_t lane = 0; lane < ahead_.size(); ++lane) {
    Transfer const& each = ahead_[lane];
    if (!each.in_flight) continue;
    if (each.from > now) {
      load.next_begin = std::min(load.next_begin, each.from);
    } else if (load.active++ == 0 || each.left < ahead_[load.shortest].left) {
      load.shortest = lane;
    }
  }
  return load;
}

// Writes the state of the transfers at the first end to `ahead_`, and returns this end.
ReplayLink::End ReplayLink::advance_to_first_end() {
  ahead_ = transfers_;  // the same size, so nothing is allocated
  for (auto now = settled_;;) {
    const Load load = load_at(now);
    End first{load.shortest};
    if (load.active > 0)
      first.when = now + rounded(ahead_[load.shortest].left * static_cast<double>(load.active));
    const bool is_first = first.when <= load.next_begin;
    const auto next = is_first ? first.when : load.next_begin;
    if (load.active > 0) advance(now, next, load.active);
    if (is_first) return first;
    now = next;
  }
}

// Subtracts the progress between two times from what is left of the transfers in `ahead_`. `active` is the
// number of transfers that use the link in this time.
void ReplayLink::advance(Clock::time_point from, Clock::time_point to, std::size_t active) {
  const double progress = seconds_between(from, to) / static_cast<double>(active);
  for (Transfer& each : ahead_)
    if (each.in_flight && each.from <= from) each.left = std::max(0.0, each.left - progress);
}

}  // namespace ddproxy
