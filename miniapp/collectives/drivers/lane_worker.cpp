// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/lane_worker.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr Clock::duration idle_spin = 200us;  // how long the communication thread spins for the next call
constexpr Clock::duration wait_spin = 1ms;  // how long the compute side spins; a later wake-up matters little
constexpr Clock::duration yield_spin = 1ms;  // how long both spin if they share a core

Bell make_bell(bool own_core, Clock::duration spin_time) {
  return own_core ? Bell(spin_time, Bell::Spin::keep) : Bell(yield_spin, Bell::Spin::yield);
}

}  // namespace

LaneWorker::LaneWorker(std::unique_ptr<CollectiveEngine> engine, bool own_core, int rank)
    : engine_(std::move(engine)),
      work_(make_bell(own_core, idle_spin)),
      done_bell_(make_bell(own_core, wait_spin)) {
  if (const double limit = engine_->unwatched_limit_s(); limit > 0)
    watch_.emplace(limit, [this, rank](char const* call) { call_is_overdue(call, rank); });
}

void LaneWorker::begin(std::size_t calls) {
  first_ = posted_;
  calls_.resize(calls);
  done_.clear();
  done_.reserve(calls);
  flags_.begin(calls);
}

void LaneWorker::post_group(std::span<const CollectiveCall> calls, Completion ready) {
  const std::size_t number = posted();
  if (number + calls.size() > calls_.size())
    throw std::logic_error("more calls are started than begin() made room for");
  for (std::size_t i = 0; i < calls.size(); ++i) calls_[number + i] = {calls[i], ready, calls.size() - i};
  posted_ += calls.size();
  work_.ring();
}

void LaneWorker::wait(std::size_t calls) {
  wanted_ = first_ + calls;
  done_bell_.wait([&] { return finished_ - first_ >= calls || failed_; });
  wanted_ = nobody_waits;
  if (!failed_) return;
  const std::lock_guard lock(failure_mutex_);
  std::rethrow_exception(failure_);
}

bool LaneWorker::take(std::size_t taken) {
  work_.wait([&] { return quit_ || (posted_ > taken && !failed_); });
  return !quit_;
}

void LaneWorker::carry_out(std::size_t number) {
  auto const& [call, when, group] = calls_[number];
  const auto ready = wait_until_over(when);
  std::optional<CallWatch::Scope> watched;
  if (watch_) {
    name_call(name_, number, call);
    watched.emplace(*watch_, name_.c_str());
  }
  if (group == 1)
    engine_->begin(call, {ready});
  else
    engine_->begin_group({&calls_[number], group}, {ready});
  engine_->wait(number);
}

void LaneWorker::note_done(std::size_t number) {
  FinishedCall done = engine_->last();
  for (std::size_t i = 0; i < calls_[number].group; ++i) {
    if (i > 0) done.call = calls_[number + i].call;
    done_.push_back(done);
  }
}

void LaneWorker::work() {
  pin_communication_thread();
  bool adopted = false;
  for (std::size_t taken = 0, group = 1; take(taken); taken += group) {
    group = calls_[taken - first_].group;
    try {
      if (!adopted) adopt_device();
      adopted = true;
      carry_out(taken - first_);
    } catch (...) {
      fail(std::current_exception());
    }
    note_done(taken - first_);
    flags_.set(done_.size());
    // If the compute side waits for a later call, it is not woken up yet. No wake-up is lost, because the
    // compute side assigns wanted_ before it reads finished_.
    if ((finished_ += group) >= wanted_) done_bell_.ring();
  }
}

void LaneWorker::quit() {
  quit_ = true;
  work_.ring();
}

void LaneWorker::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  failed_ = true;
  flags_.fail();
  done_bell_.ring();
}

// Runs on the thread of the watchdog. The communication thread cannot change the call's name meanwhile,
// because it cannot leave its CallWatch::Scope until this function returns.
void LaneWorker::call_is_overdue(char const* call, int rank) {
  stuck_ = true;
  const auto text = over_time_limit(call, engine_->unwatched_limit_s());
  fail(std::make_exception_ptr(StuckCall(fmt::format("rank {}: {}", rank, text))));
}

}  // namespace ddproxy
