// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/allreduce_polled.hpp"

namespace ddproxy {

void PolledAllreduce::begin(std::size_t buckets) {
  posted_.clear();
  done_.clear();
  posted_.reserve(buckets);
  done_.reserve(buckets);
}

void PolledAllreduce::start(Slice slice, Completion ready) {
  posted_.push_back({slice, ready});
  begin_next();
}

void PolledAllreduce::begin_next() {
  if (in_flight_ || done_.size() == posted_.size()) return;
  PostedBucket const& next = posted_[done_.size()];
  if (!is_over(next.ready)) return;
  engine_->begin(next.slice, {moment_of(next.ready)});
  in_flight_ = true;
}

void PolledAllreduce::progress() {
  if (!poll_) return;
  if (in_flight_ && engine_->test()) {
    done_.push_back(engine_->last());
    in_flight_ = false;
  }
  begin_next();
}

void PolledAllreduce::wait_all() {
  if (!posted_.empty()) wait_for(posted_.size() - 1);
}

Completion PolledAllreduce::wait_for(std::size_t bucket) {
  while (done_.size() <= bucket) {
    if (!in_flight_) wait_until_over(posted_[done_.size()].ready);
    begin_next();
    engine_->wait(done_.size());
    done_.push_back(engine_->last());
    in_flight_ = false;
  }
  return {done_[bucket].end};
}

}  // namespace ddproxy
