// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/allreduce_polled.hpp"

namespace ddproxy {

void PolledAllreduce::begin(std::size_t calls) {
  jobs_.clear();
  done_.clear();
  jobs_.reserve(calls);
  done_.reserve(calls);
}

void PolledAllreduce::start(Slice slice, Completion ready) {
  jobs_.push_back({slice, ready});
  begin_next();
}

void PolledAllreduce::begin_next() {
  if (in_flight_ || done_.size() == jobs_.size()) return;
  Job const& job = jobs_[done_.size()];
  if (!is_over(job.ready)) return;
  engine_->begin(job.slice, {moment_of(job.ready)});
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
  if (!jobs_.empty()) wait_for(jobs_.size() - 1);
}

Completion PolledAllreduce::wait_for(std::size_t call) {
  while (done_.size() <= call) {
    if (!in_flight_) wait_until_over(jobs_[done_.size()].ready);
    begin_next();
    engine_->wait(done_.size());
    done_.push_back(engine_->last());
    in_flight_ = false;
  }
  return {done_[call].end};
}

}  // namespace ddproxy
