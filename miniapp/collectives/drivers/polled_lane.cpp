// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/polled_lane.hpp"

namespace ddproxy {

void PolledLane::begin(std::size_t calls) {
  posted_.clear();
  done_.clear();
  posted_.reserve(calls);
  done_.reserve(calls);
}

void PolledLane::start(CollectiveCall const& call, Completion ready) {
  posted_.push_back({call, ready});
  begin_next();
}

void PolledLane::begin_next() {
  if (in_flight_ || done_.size() == posted_.size()) return;
  PostedCall const& next = posted_[done_.size()];
  if (!is_over(next.ready)) return;
  engine_->begin(next.call, {moment_of(next.ready)});
  in_flight_ = true;
}

void PolledLane::progress() {
  if (!poll_) return;
  if (in_flight_ && engine_->test()) {
    done_.push_back(engine_->last());
    in_flight_ = false;
  }
  begin_next();
}

void PolledLane::wait_all() {
  if (!posted_.empty()) wait_for(posted_.size() - 1);
}

Completion PolledLane::wait_for(std::size_t number) {
  while (done_.size() <= number) {
    if (!in_flight_) wait_until_over(posted_[done_.size()].ready);
    begin_next();
    engine_->wait(done_.size());
    done_.push_back(engine_->last());
    in_flight_ = false;
  }
  return {done_[number].end};
}

}  // namespace ddproxy
