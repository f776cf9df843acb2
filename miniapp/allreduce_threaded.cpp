// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/allreduce_threaded.hpp"

#include "miniapp/device.hpp"
#include "miniapp/pinning.hpp"

namespace ddproxy {

ThreadedAllreduce::ThreadedAllreduce(std::unique_ptr<AllreduceEngine> engine)
    : engine_(std::move(engine)), thread_([this] { work(); }) {}

ThreadedAllreduce::~ThreadedAllreduce() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ThreadedAllreduce::begin(std::size_t calls) {
  const std::lock_guard lock(mutex_);
  jobs_.clear();
  done_.clear();
  taken_ = 0;
  jobs_.reserve(calls);
  done_.reserve(calls);
}

void ThreadedAllreduce::start(Slice slice, Completion ready) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({jobs_.size(), slice, ready});
  }
  wake_.notify_one();
}

void ThreadedAllreduce::wait_all() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return done_.size() == jobs_.size() || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

Completion ThreadedAllreduce::wait_for(std::size_t call) {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this, call] { return done_.size() > call || failure_; });
  if (failure_) std::rethrow_exception(failure_);
  return {done_[call].end};
}

bool ThreadedAllreduce::take(Job& job) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return quit_ || (taken_ < jobs_.size() && !failure_); });
  if (quit_) return false;
  job = jobs_[taken_++];
  return true;
}

void ThreadedAllreduce::carry_out(Job const& job) {
  engine_->begin(job.slice, {wait_until_over(job.ready)});
  engine_->wait(job.bucket);
}

void ThreadedAllreduce::work() {
  pin_communication_thread();
  bool adopted = false;
  for (Job job; take(job);) {
    std::exception_ptr failure;
    try {
      if (!adopted) adopt_device();
      adopted = true;
      carry_out(job);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_.push_back(engine_->last());
    failure_ = failure;
    idle_.notify_one();
  }
}

}  // namespace ddproxy
