// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/collectives/drivers/joint_driver.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/cores/pinning.hpp"
#include "miniapp/device/backoff.hpp"
#include "miniapp/device/device.hpp"

namespace ddproxy {
namespace {

using namespace std::chrono_literals;
constexpr Clock::duration spin = 1ms;       // how long a thread that waits for the other side spins
constexpr Clock::duration young = 200us;    // after progress, the thread polls for this time without sleeping
constexpr Clock::duration interval = 20us;  // time between two polls after that
constexpr int polls_in_row = 16;            // polls before a thread whose core is free pauses

Bell make_bell(bool own_core) {
  return {spin, own_core ? Bell::Spin::keep : Bell::Spin::yield};
}

}  // namespace

JointDriver::JointDriver(std::vector<std::unique_ptr<CollectiveEngine>> engines, JointPolling polling)
    : polling_(polling), work_(make_bell(polling.own_core)), done_(make_bell(polling.own_core)) {
  for (auto& engine : engines) {
    if (engine->unwatched_limit_s() > 0)
      throw std::invalid_argument(
          engine->description() +
          ": one thread cannot drive several lanes with blocking calls; use nonblocking "
          "calls, or a thread for each lane");
    queues_.push_back(std::make_unique<CallQueue>(std::move(engine)));
  }
  if (polling.thread) thread_ = std::thread([this] { work(); });
}

JointDriver::~JointDriver() {
  quit_ = true;
  work_.ring();
  if (thread_.joinable()) thread_.join();
}

void JointDriver::post(CallQueue& queue, std::span<const CollectiveCall> calls, Completion ready) {
  queue.post(calls, ready);
  if (!polling_.thread)
    advance();
  else if (polling_.own_core)
    work_.ring();
}

void JointDriver::progress() {
  if (!polling_.thread)
    advance();
  else if (shares_core() && is_busy())
    work_.ring();
}

void JointDriver::wait(CallQueue& queue, std::size_t calls) {
  compute_waits_ = true;
  if (!polling_.thread)
    poll_while([&] { return queue.finished() < calls; });
  else if (!shares_core() || !poll_here(queue, calls))
    done_.wait([&] { return queue.finished() >= calls || failed_; });
  compute_waits_ = false;
  if (!failed_) return;
  const std::lock_guard lock(failure_mutex_);
  std::rethrow_exception(failure_);
}

// Polls the engines on the compute side until `calls` calls of the queue are done, and returns true. If the
// communication thread polls the engines, wakes up that thread and returns false. Without the wake-up, the
// thread could go to sleep although a call was posted: it may have looked for work before the last post().
bool JointDriver::poll_here(CallQueue const& queue, std::size_t calls) {
  if (driven_.exchange(true)) {
    work_.ring();
    return false;
  }
  try {
    poll_while([&] { return queue.finished() < calls && !failed_; });
  } catch (...) {
    fail();
  }
  driven_ = false;
  return true;
}

// Polls the engines for as long as `more` returns true. While the core is free, polls several times before it
// pauses or yields.
template <class More>
void JointDriver::poll_while(More const& more) {
  auto last = Clock::now();
  for (int polls = 0; more();) {
    if (advance()) {
      last = Clock::now();
      polls = 0;
      if (polling_.thread) done_.ring();
    } else if (++polls % polls_in_row == 0 || !core_is_free()) {
      wait_for_next_poll(last);
    }
  }
}

// Waits between two polls of the engines. `last` is the last time at which one of them made progress. Sleeps
// only while compute may need the core, as Backoff (miniapp/device/backoff.hpp) does. Backoff is not used
// here, because its sleeps grow with the time since the wait began. Here several calls may be in flight, and
// each of them may be done at any time. So the time between two polls must not grow.
void JointDriver::wait_for_next_poll(Clock::time_point last) const {
  const auto now = Clock::now();
  if (!core_is_free() && now - last > young) return sleep_until(now + interval);
  polling_.own_core ? relax() : static_cast<void>(sched_yield());
}

// Polls all engines once. Returns whether a call began or ended. First begins all calls that are ready. Then
// finishes the calls that are done, and after each of them again begins all calls that are ready. Reason: in
// a replay the end of a call depends on the calls of other lanes that began before this end (ReplayLink).
bool JointDriver::advance() {
  bool moved = begin_calls();
  while (std::ranges::any_of(queues_, [](auto const& queue) { return queue->finish(); })) {
    begin_calls();
    moved = true;
  }
  return moved;
}

bool JointDriver::begin_calls() {
  bool began = false;
  for (auto const& queue : queues_) began = queue->begin_next() || began;
  return began;
}

bool JointDriver::is_busy() const {
  return std::ranges::any_of(queues_, [](auto const& queue) { return queue->is_busy(); });
}

// If there is a call to carry out and no thread has claimed the engines, claims them and returns true.
// Otherwise returns false.
bool JointDriver::take() {
  if (failed_ || !is_busy() || driven_.exchange(true)) return false;
  if (is_busy() && !failed_) return true;  // before the claim the other thread may have finished, or failed
  driven_ = false;
  return false;
}

void JointDriver::work() {
  pin_communication_thread();
  try {
    adopt_device();
    for (;;) {
      work_.wait([&] { return quit_ || take(); });
      if (quit_) return;
      poll_while([&] { return is_busy() && !quit_; });
      driven_ = false;
    }
  } catch (...) {
    fail();
  }
}

void JointDriver::fail() {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  failed_ = true;
  for (auto const& queue : queues_) queue->fail();
  done_.ring();
}

}  // namespace ddproxy
