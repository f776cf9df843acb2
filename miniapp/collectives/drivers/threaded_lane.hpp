// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <thread>

#include "miniapp/collectives/drivers/lane_worker.hpp"

namespace ddproxy {

/// A lane with a thread of its own, the communication thread, which drives its engine. With
/// ThreadPlace::shared_core, wait_all() and wait_for() drive the engine, too (LaneWorker).
///
/// Problem: an engine may block in a function of its library without a time limit. A watchdog (CallWatch)
/// detects a call that takes longer than the time limit. Then wait_all() and wait_for() throw StuckCall
/// (miniapp/errors/errors.hpp), and the communication thread stays in its call. If the compute side is in the
/// call, the watchdog calls end_stuck_main_thread() (miniapp/errors/stuck_call.hpp). The process cannot go on
/// and must end.
class ThreadedLane : public CommunicationLane {
 public:
  /// Takes the engine and starts the thread. Error messages name `rank`.
  explicit ThreadedLane(std::unique_ptr<CollectiveEngine> engine,
                        ThreadPlace place = ThreadPlace::shared_core, int rank = 0);
  ~ThreadedLane() override;
  ThreadedLane(ThreadedLane const&) = delete;
  ThreadedLane& operator=(ThreadedLane const&) = delete;

  void begin(std::size_t calls) override { worker_->begin(calls); }
  /// Posts one collective, as CommunicationLane::start() does. Throws std::logic_error if begin() made no
  /// room for it.
  void start(CollectiveCall const& call, Completion ready) override { worker_->post(call, ready); }
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override {
    worker_->post_group(calls, ready);
  }
  void make_room(std::size_t largest_group) override { worker_->make_room(largest_group); }
  void progress() override { worker_->progress(); }
  void wait_all() override { worker_->wait(worker_->posted()); }
  Completion wait_for(std::size_t number) override;
  Completion completion_of(std::size_t number) override { return worker_->completion_of(number); }
  std::vector<FinishedCall> const& finished() const override { return worker_->finished(); }
  std::string description() const override { return worker_->description() + ", thread"; }
  ElementsByVerb elements_handed_over() const override { return worker_->elements_handed_over(); }

 private:
  // This object and its thread own the worker together. If the thread is stuck in a call, the worker outlives
  // this object.
  std::shared_ptr<LaneWorker> worker_;
  std::thread thread_;
};

}  // namespace ddproxy
