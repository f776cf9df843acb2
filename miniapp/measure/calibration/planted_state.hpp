// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
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
class SlowedCommunication : public CommunicationLane {
 public:
  /// `state` outlives the object.
  SlowedCommunication(std::unique_ptr<CommunicationLane> allreduce, PlantedState const& state)
      : allreduce_(std::move(allreduce)), state_(state) {}

  void begin(std::size_t buckets) override;
  void start(CollectiveCall const& call, Completion ready) override;
  void progress() override { allreduce_->progress(); }
  void wait_all() override;
  Completion wait_for(std::size_t bucket) override;
  std::vector<FinishedCall> const& finished() const override { return done_; }
  ElementsByVerb elements_handed_over() const override { return allreduce_->elements_handed_over(); }
  std::string description() const override { return allreduce_->description(); }

 private:
  std::unique_ptr<CommunicationLane> allreduce_;
  PlantedState const& state_;
  std::vector<bool> slow_;  // [call]
  std::vector<FinishedCall> done_;
};

struct RankContext;

/// Plants two states, in turns of so many probes, into a run. Throws std::invalid_argument in a build for a
/// device.
void plant_state(RankContext& context, int probes_of_turn);

}  // namespace ddproxy
