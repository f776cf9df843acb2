// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "miniapp/collectives/drivers/call_flags.hpp"
#include "miniapp/collectives/drivers/collective_engine.hpp"

namespace ddproxy {

/// The calls of one of several lanes that a JointDriver drives: one side posts them, the other one, which may
/// be another thread, carries them out one after another, without ever waiting for one.
class CallQueue {
 public:
  explicit CallQueue(std::unique_ptr<CollectiveEngine> engine) : engine_(std::move(engine)), flags_(done_) {}

  /// Of who posts. All that were posted are done when begin() and make_room() are called; begin() makes room
  /// for `calls`, and post() throws std::logic_error for more. A post is all or part of a group.
  void begin(std::size_t calls);
  void make_room(std::size_t largest_group) { engine_->make_room(largest_group); }
  void post(std::span<const CollectiveCall> calls, Completion ready);
  std::size_t posted() const { return posted_ - first_; }      ///< since begin()
  std::size_t finished() const { return finished_ - first_; }  ///< since begin()
  std::vector<FinishedCall> const& done() const { return done_; }
  CallFlags& flags() { return flags_; }
  CollectiveEngine& engine() { return *engine_; }

  /// Of who drives: whether something is posted and not done.
  bool is_busy() const { return posted_ != finished_; }
  /// Finishes the call under way where it is done, and begins the next one where it is ready. Returns whether
  /// it did either; throws what the engine throws, and where a call takes too long.
  bool advance();

 private:
  bool finish();
  bool begin_next();

  const std::unique_ptr<CollectiveEngine> engine_;
  std::vector<PostedCall> calls_;   // written by who posts before posted_ counts them
  std::vector<FinishedCall> done_;  // written by who drives before finished_ counts them
  CallFlags flags_;
  std::size_t first_ = 0;  // of posted_ and finished_ at begin()
  std::atomic<std::size_t> posted_{0}, finished_{0};
  bool under_way_ = false;
};

}  // namespace ddproxy
