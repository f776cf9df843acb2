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

void CallQueue::start_next(Completion ready) {
  PostedCall const& call = next();
  call.group == 1 ? engine_->begin(call.call, ready) : engine_->begin_group({&call, call.group}, ready);
  under_way_ = true;
}

std::size_t CallQueue::note_done() {
  PostedCall const* const first = &next();
  FinishedCall done = engine_->last();
  for (std::size_t i = 0; i < first->group; ++i) {
    if (i > 0) done.call = first[i].call;
    done_.push_back(done);
  }
  under_way_ = false;
  // done_ is read before finished_ counts the calls. As soon as they are counted, the compute side may call
  // begin(), which clears done_.
  const std::size_t all = done_.size();
  flags_.set(all);
  finished_ += first->group;
  return all;
}

bool CallQueue::begin_next() {
  if (under_way_ || !is_busy() || !is_over(next().ready)) return false;
  start_next({moment_of(next().ready)});
  return true;
}

bool CallQueue::finish() {
  if (!under_way_) return false;
  if (!engine_->test()) {
    engine_->check_time(done_.size());
    return false;
  }
  note_done();
  return true;
}

}  // namespace ddproxy
