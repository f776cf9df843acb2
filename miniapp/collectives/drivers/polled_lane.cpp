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

void PolledLane::start_group(std::span<const CollectiveCall> calls, Completion ready) {
  for (std::size_t i = 0; i < calls.size(); ++i) posted_.push_back({calls[i], ready, calls.size() - i});
  begin_next();
}

void PolledLane::begin_next() {
  if (in_flight_ || done_.size() == posted_.size()) return;
  PostedCall const& next = posted_[done_.size()];
  if (!is_over(next.ready)) return;
  const Completion ready{moment_of(next.ready)};
  next.group == 1 ? engine_->begin(next.call, ready) : engine_->begin_group({&next, next.group}, ready);
  in_flight_ = true;
}

void PolledLane::note_done() {
  FinishedCall done = engine_->last();
  const std::size_t first = done_.size(), group = posted_[first].group;
  for (std::size_t i = 0; i < group; ++i) {
    if (i > 0) done.call = posted_[first + i].call;
    done_.push_back(done);
  }
  in_flight_ = false;
}

void PolledLane::progress() {
  if (!poll_) return;
  if (in_flight_ && engine_->test()) note_done();
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
    note_done();
  }
  return {done_[number].end};
}

}  // namespace ddproxy
