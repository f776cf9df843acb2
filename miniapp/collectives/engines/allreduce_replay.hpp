// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "miniapp/collectives/drivers/allreduce_engine.hpp"
#include "model/cost/allreduce_cost.hpp"

namespace ddproxy {

/// Moves nothing and takes the time that a cost table says. A bucket begins at the end of the one before
/// it or when it is ready, whichever is later: at that deadline, not at the moment of waking up, so that late
/// wake-ups do not add up.
class ReplayEngine : public AllreduceEngine {
 public:
  /// `cost`: by bytes of gradients, whatever the wire.
  explicit ReplayEngine(model::AllreduceCost cost) : cost_(std::move(cost)) {}
  void begin(Slice slice, Completion ready) override;
  bool test() override { return Clock::now() >= bucket_.end; }
  void wait(std::size_t bucket) override;
  ReducedBucket last() const override { return bucket_; }
  std::int64_t elements_reduced() const override { return elements_reduced_; }
  std::string description() const override { return "replay"; }

 private:
  model::AllreduceCost cost_;
  ReducedBucket bucket_{};
  std::int64_t elements_reduced_ = 0;  // that time was spent for
};

}  // namespace ddproxy
