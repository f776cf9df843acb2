// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/bell.hpp"
#include "miniapp/collectives/drivers/call_flags.hpp"
#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/errors/call_watch.hpp"

namespace ddproxy {

/// What the compute side and the communication thread of a ThreadedLane share: a list of calls,
/// which one side posts and the other carries out one after another. With a core of its own the communication
/// thread spins for a while between two calls, and so does who waits for one, so that a call is handed
/// over and back in less than a microsecond. Without, both yield the core to each other for a shorter while,
/// and then sleep.
class LaneWorker {
 public:
  LaneWorker(std::unique_ptr<CollectiveEngine> engine, bool own_core, int rank);

  /// Forgets earlier calls and makes room for `calls`. All that were posted are done.
  void begin(std::size_t calls);
  /// Throws std::logic_error where begin() made no room for it.
  void post(CollectiveCall const& call, Completion ready) { post_group({&call, 1}, ready); }
  /// All of them, to be issued as one group.
  void post_group(std::span<const CollectiveCall> calls, Completion ready);
  /// Makes room for groups of so many calls. All that were posted are done.
  void make_room(std::size_t largest_group) { engine_->make_room(largest_group); }
  std::size_t posted() const { return posted_ - first_; }  ///< since begin()
  /// Waits until so many calls since begin() are done. Throws what went wrong: what the engine threw, or
  /// StuckCall.
  void wait(std::size_t calls);
  /// The flag of a call since begin(), from 0.
  Completion completion_of(std::size_t number) const { return flags_[number]; }
  std::vector<FinishedCall> const& finished() const { return done_; }
  ElementsByVerb elements_handed_over() const { return engine_->elements_handed_over(); }
  std::string description() const { return engine_->description(); }

  /// The communication thread's side; returns after quit().
  void work();
  void quit();
  /// Whether the communication thread did not come back from a call within its time limit.
  bool stuck() const { return stuck_; }

 private:
  bool take(std::size_t taken);
  void carry_out(std::size_t number);
  void note_done(std::size_t number);
  void fail(std::exception_ptr failure);
  void call_is_overdue(char const* call, int rank);

  const std::unique_ptr<CollectiveEngine> engine_;
  Bell work_, done_bell_;
  std::vector<PostedCall> calls_;   // written by the compute side before posted_ counts them
  std::vector<FinishedCall> done_;  // written by the communication thread before finished_ counts them
  CallFlags flags_{done_};
  std::size_t first_ = 0;  // of posted_ and finished_ at begin()
  static constexpr std::size_t nobody_waits = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> posted_{0}, finished_{0};
  std::atomic<std::size_t> wanted_{nobody_waits};  // the value of finished_ that the compute side waits for
  std::atomic<bool> quit_{false}, failed_{false}, stuck_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // the first one; guarded by failure_mutex_
  std::string name_;            // of the call being carried out
  std::optional<CallWatch> watch_;
};

}  // namespace ddproxy
