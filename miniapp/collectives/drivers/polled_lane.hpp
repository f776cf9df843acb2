// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/collective_engine.hpp"

namespace ddproxy {

/// A lane whose engine only the compute side drives; it has no thread. The engine makes progress when a call
/// is started and in waits. With `poll` it also makes progress between two operations.
class PolledLane : public CommunicationLane {
 public:
  /// Takes the engine. `poll` tells whether progress() polls it.
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
