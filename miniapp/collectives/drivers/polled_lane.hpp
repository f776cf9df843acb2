// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/collective_engine.hpp"

namespace ddproxy {

/// A lane without a thread of its own: the compute side drives its engine.
///
/// start() begins a call if no other call is in flight and the data of the call are ready. wait_all() and
/// wait_for() begin and finish the other calls. If `poll` is true, progress() also finishes and begins calls,
/// between two operations. If `poll` is false, the lane makes no progress while compute runs.
class PolledLane : public CommunicationLane {
 public:
  /// Takes the engine. `poll` tells whether progress() polls the engine.
  PolledLane(std::unique_ptr<CollectiveEngine> engine, bool poll) : engine_(std::move(engine)), poll_(poll) {}

  void begin(std::size_t calls) override;
  void start(CollectiveCall const& call, Completion ready) override;
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override;
  void make_room(std::size_t largest_group) override { engine_->make_room(largest_group); }
  void progress() override;
  void wait_all() override;
  Completion wait_for(std::size_t number) override;
  std::vector<FinishedCall> const& finished() const override { return done_; }
  ElementsByVerb elements_handed_over() const override { return engine_->elements_handed_over(); }
  std::string description() const override {
    return engine_->description() + (poll_ ? ", poll" : ", no progress");
  }

 private:
  void begin_next();
  void note_done();

  std::unique_ptr<CollectiveEngine> engine_;
  bool poll_;
  std::vector<PostedCall> posted_;
  bool in_flight_ = false;  // whether posted_[done_.size()] has begun
  std::vector<FinishedCall> done_;
};

}  // namespace ddproxy
