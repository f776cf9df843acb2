// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "miniapp/collectives/drivers/collective_engine.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// Seconds of one collective of x bytes, by verb.
using CollectiveCost = std::function<double(model::Verb verb, std::int64_t bytes)>;

/// Moves nothing and takes the time that a cost table says. A collective begins at the end of the one before
/// it or when it is ready, whichever is later: at that deadline, not at the moment of waking up, so that late
/// wake-ups do not add up.
class ReplayEngine : public CollectiveEngine {
 public:
  /// `cost`: by bytes of the full size x in fp32, whatever the wire.
  explicit ReplayEngine(CollectiveCost cost) : cost_(std::move(cost)) {}
  /// All-reduces alone; other verbs throw std::invalid_argument when they begin.
  explicit ReplayEngine(model::AllreduceCost cost);
  void begin(CollectiveCall const& call, Completion ready) override;
  /// Takes as long as the longest of them.
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
  ElementsByVerb elements_;  // that time was spent for
};

}  // namespace ddproxy
