// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/machine/state_probe.hpp"

namespace ddproxy {

/// A probe for tests. It plants two states of the machine that alternate: a fast state, which is first, and a
/// slow state. Probes are collective, so all ranks are in the same state.
class PlantedState : public StateProbe {
 public:
  /// Makes the probe. The state changes after every `probes_of_turn` probes.
  explicit PlantedState(int probes_of_turn) : probes_of_turn_(probes_of_turn) {}
  /// Returns the seconds of a round trip in the current state: 50 ns or 300 ns.
  double measure() override;
  bool slow() const { return slow_; }  ///< returns whether the last probe was in the slow state

 private:
  int probes_of_turn_, probes_ = 0;
  bool slow_ = false;
};

/// Carries out collectives on another lane and delays their ends. A collective that is started while the
/// planted state is slow takes twice as long, and at least 0.5 ms longer. Each collective starts only after
/// the delayed end of the previous one. The delay uses no core. Use it on a host only.
class SlowedCommunication : public CommunicationLane {
 public:
  /// Takes the other lane, `allreduce`. `state` must outlive this object.
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
  std::vector<bool> slow_;  // [call] whether it was started in the slow state
  std::vector<FinishedCall> done_;
};

struct RankContext;

/// Replaces the probe of a run by a PlantedState, and its communication lane by a SlowedCommunication. The
/// state changes after every `probes_of_turn` probes. Throws std::invalid_argument in a build for a device.
void plant_state(RankContext& context, int probes_of_turn);

}  // namespace ddproxy
