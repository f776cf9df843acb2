// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/allreduce_worker.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr Clock::duration idle_spin = 200us;  // of the communication thread, for the next bucket
constexpr Clock::duration wait_spin = 1ms;    // of the compute side: waking up costs little of what it took
constexpr Clock::duration yield_spin = 1ms;   // of both, where they share a core

Bell make_bell(bool own_core, Clock::duration spin_time) {
  return own_core ? Bell(spin_time, Bell::Spin::keep) : Bell(yield_spin, Bell::Spin::yield);
}

}  // namespace

AllreduceWorker::AllreduceWorker(std::unique_ptr<AllreduceEngine> engine, bool own_core, int rank)
    : engine_(std::move(engine)),
      work_(make_bell(own_core, idle_spin)),
      done_bell_(make_bell(own_core, wait_spin)) {
  if (const double limit = engine_->unwatched_limit_s(); limit > 0)
    watch_.emplace(limit, [this, rank](char const* call) { call_is_overdue(call, rank); });
}

void AllreduceWorker::begin(std::size_t buckets) {
  first_ = posted_;
  buckets_.resize(buckets);
  done_.clear();
  done_.reserve(buckets);
}

void AllreduceWorker::post(Slice slice, Completion ready) {
  const std::size_t bucket = posted();
  if (bucket >= buckets_.size())
    throw std::logic_error("more buckets are started than begin() made room for");
  buckets_[bucket] = {slice, ready};
  ++posted_;
  work_.ring();
}

void AllreduceWorker::wait(std::size_t buckets) {
  wanted_ = first_ + buckets;
  done_bell_.wait([&] { return finished_ - first_ >= buckets || failed_; });
  wanted_ = nobody_waits;
  if (!failed_) return;
  const std::lock_guard lock(failure_mutex_);
  std::rethrow_exception(failure_);
}

bool AllreduceWorker::take(std::size_t taken) {
  work_.wait([&] { return quit_ || (posted_ > taken && !failed_); });
  return !quit_;
}

void AllreduceWorker::carry_out(std::size_t bucket) {
  auto const& [slice, when] = buckets_[bucket];
  const auto ready = wait_until_over(when);
  std::optional<CallWatch::Scope> watched;
  if (watch_) {
    name_bucket(name_, bucket, slice);
    watched.emplace(*watch_, name_.c_str());
  }
  engine_->begin(slice, {ready});
  engine_->wait(bucket);
}

void AllreduceWorker::work() {
  pin_communication_thread();
  bool adopted = false;
  for (std::size_t taken = 0; take(taken); ++taken) {
    try {
      if (!adopted) adopt_device();
      adopted = true;
      carry_out(taken - first_);
    } catch (...) {
      fail(std::current_exception());
    }
    done_.push_back(engine_->last());
    // Whoever waits for a later bucket sleeps on. It says what it waits for before it looks at finished_.
    if (++finished_ >= wanted_) done_bell_.ring();
  }
}

void AllreduceWorker::quit() {
  quit_ = true;
  work_.ring();
}

void AllreduceWorker::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  failed_ = true;
  done_bell_.ring();
}

// On the watch's thread, which keeps the call's name as it is meanwhile.
void AllreduceWorker::call_is_overdue(char const* call, int rank) {
  stuck_ = true;
  const auto text = over_time_limit(call, engine_->unwatched_limit_s());
  fail(std::make_exception_ptr(StuckCall(fmt::format("rank {}: {}", rank, text))));
}

}  // namespace ddproxy
