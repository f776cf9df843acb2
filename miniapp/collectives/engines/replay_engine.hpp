// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// Returns the seconds of one collective of this verb (the kind of the collective) whose full size x is
/// `bytes` bytes.
using CollectiveCost = std::function<double(model::Verb verb, std::int64_t bytes)>;

/// Replays collectives: moves no data, and each collective takes the time that a cost table gives. A
/// collective starts when the previous one ends or when its data are ready, whichever is later. The engine
/// computes these times from the table and does not read the clock when a thread wakes up. So late wake-ups
/// do not add up.
class ReplayEngine : public CollectiveEngine {
 public:
  /// Takes the cost table. `cost` receives the bytes of the full size x in fp32, whatever the wire format is.
  /// begin() throws what `cost` throws.
  explicit ReplayEngine(CollectiveCost cost) : cost_(std::move(cost)) {}
  /// Replays all-reduces only. begin() throws std::invalid_argument for other verbs.
  explicit ReplayEngine(model::AllreduceCost cost);
  void begin(CollectiveCall const& call, Completion ready) override;
  /// Begins a group. The group takes as long as its longest call.
  void begin_group(std::span<const PostedCall> calls, Completion ready) override;
  bool test() override { return Clock::now() >= call_.end; }
  void wait(std::size_t call) override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return elements_; }
  std::string description() const override { return "replay"; }

 private:
  double take(CollectiveCall const& call);
  void begin(CollectiveCall const& call, Completion ready, double seconds);

  CollectiveCost cost_;
  FinishedCall call_{};
  ElementsByVerb elements_;  // the elements of all calls so far
};

}  // namespace ddproxy
