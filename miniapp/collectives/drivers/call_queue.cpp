// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/call_queue.hpp"

#include <stdexcept>

namespace ddproxy {

void CallQueue::begin(std::size_t calls) {
  first_ = posted_;
  calls_.resize(calls);
  done_.clear();
  done_.reserve(calls);
  flags_.begin(calls);
}

void CallQueue::post(std::span<const CollectiveCall> calls, Completion ready) {
  const std::size_t number = posted();
  if (number + calls.size() > calls_.size())
    throw std::logic_error("more calls are started than begin() made room for");
  for (std::size_t i = 0; i < calls.size(); ++i) calls_[number + i] = {calls[i], ready, calls.size() - i};
  posted_ += calls.size();
}

bool CallQueue::finish() {
  if (!under_way_) return false;
  const std::size_t number = done_.size(), group = calls_[number].group;
  if (!engine_->test()) {
    engine_->check_time(number);
    return false;
  }
  FinishedCall done = engine_->last();
  for (std::size_t i = 0; i < group; ++i) {
    if (i > 0) done.call = calls_[number + i].call;
    done_.push_back(done);
  }
  under_way_ = false;
  flags_.set(done_.size());
  finished_ += group;
  return true;
}

bool CallQueue::begin_next() {
  if (under_way_ || !is_busy()) return false;
  PostedCall const& next = calls_[done_.size()];
  if (!is_over(next.ready)) return false;
  const Completion ready{moment_of(next.ready)};
  next.group == 1 ? engine_->begin(next.call, ready) : engine_->begin_group({&next, next.group}, ready);
  under_way_ = true;
  return true;
}

}  // namespace ddproxy
