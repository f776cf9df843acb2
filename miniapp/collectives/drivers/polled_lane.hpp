// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "miniapp/collectives/drivers/call_queue.hpp"

namespace ddproxy {

/// A lane without a thread of its own: the compute side drives its engine.
///
/// start() posts a collective call. Then it begins the next posted call if no call is in flight and the data
/// of the next one are ready. wait_all() and wait_for() begin and finish the other calls. If `poll` is true,
/// progress(), which is called between two compute tasks, finishes the call in flight if it is done, and
/// begins the next one. If `poll` is false, the lane makes no progress while compute runs.
class PolledLane : public CommunicationLane {
 public:
  /// Takes the engine. `poll` tells whether progress() polls the engine.
  PolledLane(std::unique_ptr<CollectiveEngine> engine, bool poll) : queue_(std::move(engine)), poll_(poll) {}

  void begin(std::size_t calls) override { queue_.begin(calls); }
  void start(CollectiveCall const& call, Completion ready) override { start_group({&call, 1}, ready); }
  void start_group(std::span<const CollectiveCall> calls, Completion ready) override;
  void make_room(std::size_t largest_group) override { queue_.make_room(largest_group); }
  void progress() override;
  void wait_all() override;
  Completion wait_for(std::size_t number) override;
  std::vector<FinishedCall> const& finished() const override { return queue_.done(); }
  ElementsByVerb elements_handed_over() const override { return queue_.engine().elements_handed_over(); }
  std::string description() const override {
    return queue_.engine().description() + (poll_ ? ", poll" : ", no progress");
  }

 private:
  CallQueue queue_;
  bool poll_;
};

}  // namespace ddproxy
