// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/lane_worker.hpp"

#include <fmt/format.h>

#include <utility>

#include "miniapp/collectives/drivers/time_limit.hpp"
#include "miniapp/cores/pinning.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/errors/errors.hpp"
#include "miniapp/errors/stuck_call.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr Clock::duration idle_spin = 200us;  // how long the communication thread spins for the next call
// How long the compute side spins. After so long a wait, the time of a wake-up matters little.
constexpr Clock::duration wait_spin = 1ms;
constexpr Clock::duration yield_spin = 1ms;  // how long each of the two threads spins if they share a core

Bell make_bell(ThreadPlace place, Clock::duration spin_time) {
  if (place == ThreadPlace::own_core) return {spin_time, Bell::Spin::keep};
  return {yield_spin, Bell::Spin::yield};
}

}  // namespace

LaneWorker::LaneWorker(std::unique_ptr<CollectiveEngine> engine, ThreadPlace place, int rank)
    : queue_(std::move(engine)),
      place_(place),
      core_is_free_([this] { return core_is_free(); }),
      work_(make_bell(place, idle_spin)),
      done_bell_(make_bell(place, wait_spin)) {
  if (const double limit = queue_.engine().unwatched_limit_s(); limit > 0)
    watch_.emplace(limit, [this, rank](char const*) { call_is_overdue(rank); });
}

void LaneWorker::post_group(std::span<const CollectiveCall> calls, Completion ready) {
  queue_.post(calls, ready);
  if (place_ != ThreadPlace::shared_core) work_.ring();
}

void LaneWorker::progress() {
  if (place_ == ThreadPlace::shared_core && queue_.is_busy()) work_.ring();
}

void LaneWorker::wait(std::size_t calls) {
  if (place_ != ThreadPlace::shared_core || !carry_out_here(calls)) {
    wanted_ = calls;
    done_bell_.wait([&] { return queue_.finished() >= calls || failed_; });
    wanted_ = nobody_waits;
  }
  if (!failed_) return;
  const std::lock_guard lock(failure_mutex_);
  std::rethrow_exception(failure_);
}

// Carries out calls until `calls` calls are done, and returns true. If the communication thread drives the
// queue, wakes up that thread and returns false. Without the wake-up, the thread could go to sleep although a
// call was posted: it may have looked for work before the last post().
bool LaneWorker::carry_out_here(std::size_t calls) {
  if (queue_.finished() >= calls) return true;
  if (driven_.exchange(true)) {
    work_.ring();
    return false;
  }
  driven_here_ = true;
  while (queue_.finished() < calls && !failed_) carry_out_next();
  driven_here_ = false;
  driven_ = false;
  return true;
}

// Carries out the next call, and returns the number of calls done since begin(). The calling thread must have
// claimed the queue. If `adopts_device` is true, first selects the device for the calling thread. The
// communication thread needs that once, before its first call.
std::size_t LaneWorker::carry_out_next(bool adopts_device) {
  try {
    if (adopts_device) adopt_device();
    carry_out();
  } catch (...) {
    fail(std::current_exception());
  }
  return queue_.note_done();
}

// With own_core the core is always free. With shared_core it is free while the compute side waits for a call
// or carries it out itself. With beside_threads it never counts as free, because a thread of another lane may
// need it.
bool LaneWorker::core_is_free() const {
  if (place_ == ThreadPlace::own_core) return true;
  return place_ == ThreadPlace::shared_core && (driven_here_ || wanted_ != nobody_waits);
}

void LaneWorker::carry_out() {
  PostedCall const& next = queue_.next();
  const auto ready = wait_until_over(next.ready);
  std::optional<CallWatch::Scope> watched;
  if (watch_) watched.emplace(*watch_, "a collective");
  queue_.start_next({ready});
  queue_.engine().wait(queue_.done().size(), core_is_free_);
}

// If there is a call to carry out and no thread has claimed the queue, claims it and returns true. Otherwise
// returns false.
bool LaneWorker::take() {
  if (!has_work() || driven_.exchange(true)) return false;
  if (has_work()) return true;  // the other thread may have carried it out before the claim
  driven_ = false;
  return false;
}

void LaneWorker::work() {
  pin_communication_thread();
  for (bool is_first = true;; is_first = false) {
    work_.wait([&] { return quit_ || take(); });
    if (quit_) return;
    const std::size_t done = carry_out_next(is_first);
    driven_ = false;
    // If the compute side waits for a later call, it is not woken up yet. No wake-up is lost, because the
    // compute side assigns wanted_ before it reads the number of finished calls.
    if (done >= wanted_) done_bell_.ring();
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

// Runs on the thread of the watchdog. The thread that drives the queue cannot go on meanwhile, because it
// cannot leave its CallWatch::Scope until this function returns. If the compute side drives the queue, it is
// stuck in the call and cannot throw the error. In this case end_stuck_main_thread() ends the process.
void LaneWorker::call_is_overdue(int rank) {
  stuck_ = true;
  const auto text = fmt::format(
      "rank {}: {}", rank,
      over_time_limit(queue_.done().size(), queue_.next().call, queue_.engine().unwatched_limit_s()));
  fail(std::make_exception_ptr(StuckCall(text)));
  if (driven_here_) end_stuck_main_thread(text);
}

}  // namespace ddproxy
