// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/lane_worker.hpp"

#include <fmt/format.h>

#include <utility>

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
    : queue_(std::move(engine)),
      work_(make_bell(own_core, idle_spin)),
      done_bell_(make_bell(own_core, wait_spin)) {
  if (const double limit = queue_.engine().unwatched_limit_s(); limit > 0)
    watch_.emplace(limit, [this, rank](char const* call) { call_is_overdue(call, rank); });
}

void LaneWorker::post_group(std::span<const CollectiveCall> calls, Completion ready) {
  queue_.post(calls, ready);
  work_.ring();
}

void LaneWorker::wait(std::size_t calls) {
  wanted_ = calls;
  done_bell_.wait([&] { return queue_.finished() >= calls || failed_; });
  wanted_ = nobody_waits;
  if (!failed_) return;
  const std::lock_guard lock(failure_mutex_);
  std::rethrow_exception(failure_);
}

bool LaneWorker::take() {
  work_.wait([&] { return quit_ || (queue_.is_busy() && !failed_); });
  return !quit_;
}

void LaneWorker::carry_out() {
  PostedCall const& next = queue_.next();
  const std::size_t number = queue_.done().size();
  const auto ready = wait_until_over(next.ready);
  std::optional<CallWatch::Scope> watched;
  if (watch_) {
    name_call(name_, number, next.call);
    watched.emplace(*watch_, name_.c_str());
  }
  queue_.start_next({ready});
  queue_.engine().wait(number);
}

void LaneWorker::work() {
  pin_communication_thread();
  bool adopted = false;
  while (take()) {
    try {
      if (!adopted) adopt_device();
      adopted = true;
      carry_out();
    } catch (...) {
      fail(std::current_exception());
    }
    // If the compute side waits for a later call, it is not woken up yet. No wake-up is lost, because the
    // compute side assigns wanted_ before it reads the number of finished calls.
    if (queue_.note_done() >= wanted_) done_bell_.ring();
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
  queue_.fail();
  done_bell_.ring();
}

// Runs on the thread of the watchdog. The communication thread cannot change the call's name meanwhile,
// because it cannot leave its CallWatch::Scope until this function returns.
void LaneWorker::call_is_overdue(char const* call, int rank) {
  stuck_ = true;
  const auto text = over_time_limit(call, queue_.engine().unwatched_limit_s());
  fail(std::make_exception_ptr(StuckCall(fmt::format("rank {}: {}", rank, text))));
}

}  // namespace ddproxy
