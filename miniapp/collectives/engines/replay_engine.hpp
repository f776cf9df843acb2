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
  /// An exact call (CollectiveCall::exact) costs as `exact_factor` times its bytes; give 2 if `cost` is that
  /// of a wire format with half the bytes of fp32.
  explicit ReplayEngine(CollectiveCost cost, std::int64_t exact_factor = 1)
      : cost_(std::move(cost)), exact_factor_(exact_factor) {}
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
  std::int64_t exact_factor_ = 1;
  FinishedCall call_{};
  ElementsByVerb elements_;  // the elements of all calls so far
};

}  // namespace ddproxy
