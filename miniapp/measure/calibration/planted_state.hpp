// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/allreduce.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// Two states that tests plant: a fast one, then a slow one, in turns of so many probes. Probes are
/// collective, so that all ranks are in the same state.
class PlantedState : public StateProbe {
 public:
  explicit PlantedState(int probes_of_turn) : probes_of_turn_(probes_of_turn) {}
  double measure() override;
  bool slow() const { return slow_; }  ///< since the last probe

 private:
  int probes_of_turn_, probes_ = 0;
  bool slow_ = false;
};

/// All-reduces that take half a millisecond longer each while the planted state is slow, without using a
/// core: one after another they end that much later. On a host only.
class SlowedAllreduce : public Allreduce {
 public:
  /// `state` outlives the object.
  SlowedAllreduce(std::unique_ptr<Allreduce> allreduce, PlantedState const& state)
      : allreduce_(std::move(allreduce)), state_(state) {}

  void begin(std::size_t buckets) override;
  void start(Slice slice, Completion ready) override;
  void progress() override { allreduce_->progress(); }
  void wait_all() override;
  Completion wait_for(std::size_t bucket) override;
  std::vector<ReducedBucket> const& reduced() const override { return done_; }
  std::int64_t elements_reduced() const override { return allreduce_->elements_reduced(); }
  std::string description() const override { return allreduce_->description(); }

 private:
  std::unique_ptr<Allreduce> allreduce_;
  PlantedState const& state_;
  std::vector<bool> slow_;  // [call]
  std::vector<ReducedBucket> done_;
};

struct RankContext;

/// Plants two states, in turns of so many probes, into a run. Throws std::invalid_argument in a build for a
/// device.
void plant_state(RankContext& context, int probes_of_turn);

}  // namespace ddproxy
