// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "miniapp/collectives/engines/replay_link.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// Returns the seconds of one collective of this verb (the kind of the collective) whose full size x is
/// `bytes` bytes.
using CollectiveCost = std::function<double(model::Verb verb, std::int64_t bytes)>;

/// Replays collectives: moves no data, and each collective takes the time that a cost table gives. A
/// collective starts when the previous one ends or when its data are ready, whichever is later. The engine
/// computes these times from the table. It reads the clock only to find out whether an end has passed. So
/// late wake-ups do not add up. Engines of the same link slow each other while their collectives run at the
/// same time (ReplayLink).
class ReplayEngine : public CollectiveEngine {
 public:
  /// Takes the cost table. `cost` receives the bytes of the full size x in fp32, whatever the wire format is.
  /// begin() throws what `cost` throws.
  /// An exact call (CollectiveCall::exact) takes as long as another call with `exact_factor` times the bytes.
  /// Pass 2 if `cost` gives the times in a wire format with half the bytes of fp32.
  /// The collectives occupy `link`. The constructor adds a lane for this engine to it. By default the engine
  /// has its own link.
  explicit ReplayEngine(CollectiveCost cost, std::int64_t exact_factor = 1,
                        std::shared_ptr<ReplayLink> link = std::make_shared<ReplayLink>());
  /// Replays all-reduces only. begin() throws std::invalid_argument for other verbs.
  explicit ReplayEngine(model::AllreduceCost cost);
  void begin(CollectiveCall const& call, Completion ready) override;
  /// Begins a group. The group takes as long as its longest call.
  void begin_group(std::span<const PostedCall> calls, Completion ready) override;
  bool test() override;
  void wait(std::size_t call, CoreIsFree const& core_is_free) override;
  FinishedCall last() const override { return call_; }
  ElementsByVerb elements_handed_over() const override { return elements_; }
  std::string description() const override { return "replay"; }

 private:
  double take(CollectiveCall const& call);
  void begin(CollectiveCall const& call, Completion ready, double seconds);

  CollectiveCost cost_;
  std::int64_t exact_factor_;
  std::shared_ptr<ReplayLink> link_;
  std::size_t lane_;  // index of this engine's lane on the link
  bool in_flight_ = false;
  FinishedCall call_{};      // the end is valid when the call is no longer in flight
  ElementsByVerb elements_;  // the elements of all calls so far
};

}  // namespace ddproxy
