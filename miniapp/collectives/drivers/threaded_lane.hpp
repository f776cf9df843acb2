// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <thread>

#include "miniapp/collectives/drivers/lane_worker.hpp"

namespace ddproxy {

/// An engine driven by a thread of its own: the communication resource beside the compute side. Where the
/// engine blocks in calls without a time limit, a watch throws StuckCall (miniapp/errors/errors.hpp) from
/// whatever the compute side waits in; the thread stays in its call, and nothing is left but to end the
/// process.
class ThreadedLane : public CommunicationLane {
 public:
  /// `own_core`: the communication thread has a core beside those that compute
  /// (miniapp/collectives/drivers/lane_worker.hpp). `rank` is named where a call does not come back.
  explicit ThreadedLane(std::unique_ptr<CollectiveEngine> engine, bool own_core = false, int rank = 0);
  ~ThreadedLane() override;
  ThreadedLane(ThreadedLane const&) = delete;
  ThreadedLane& operator=(ThreadedLane const&) = delete;

  void begin(std::size_t calls) override { worker_->begin(calls); }
  /// Throws std::logic_error for more calls than begin() made room for.
  void start(CollectiveCall const& call, Completion ready) override { worker_->post(call, ready); }
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override {
    worker_->post_group(calls, ready);
  }
  void make_room(std::size_t largest_group) override { worker_->make_room(largest_group); }
  void wait_all() override { worker_->wait(worker_->posted()); }
  Completion wait_for(std::size_t number) override;
  Completion completion_of(std::size_t number) override { return worker_->completion_of(number); }
  std::vector<FinishedCall> const& finished() const override { return worker_->finished(); }
  std::string description() const override { return worker_->description() + ", thread"; }
  ElementsByVerb elements_handed_over() const override { return worker_->elements_handed_over(); }

 private:
  std::shared_ptr<LaneWorker> worker_;  // its thread has a share, and may stay behind in a call
  std::thread thread_;
};

}  // namespace ddproxy
