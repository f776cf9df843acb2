// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/planted_state.hpp"

#include <algorithm>
#include <stdexcept>

#include "miniapp/device/backoff.hpp"
#include "miniapp/device/device.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {
namespace {

constexpr double fast_round_trip = 50e-9, slow_round_trip = 300e-9;  // seconds
constexpr std::chrono::microseconds least_delay{500};  // the slow state adds at least this to each all-reduce

// Returns the delay of a call in the slow state: as long as the call itself takes, but at least least_delay.
// With a constant delay the times of the two states would be alike on a busy machine, and MachineStates joins
// states whose times are alike.
std::chrono::nanoseconds delay_of(std::chrono::nanoseconds takes) {
  return std::max<std::chrono::nanoseconds>(takes, least_delay);
}

}  // namespace

double PlantedState::measure() {
  slow_ = probes_++ / probes_of_turn_ % 2 == 1;
  return slow_ ? slow_round_trip : fast_round_trip;
}

void SlowedCommunication::begin(std::size_t buckets) {
  allreduce_->begin(buckets);
  slow_.clear();
  done_.clear();
  slow_.reserve(buckets);
  done_.reserve(buckets);
}

void SlowedCommunication::start(CollectiveCall const& call, Completion ready) {
  slow_.push_back(state_.slow());
  allreduce_->start(call, ready);
}

void SlowedCommunication::wait_all() {
  allreduce_->wait_all();
  auto const& real = allreduce_->finished();
  for (std::size_t k = done_.size(); k < real.size(); ++k) {
    FinishedCall later = real[k];
    const std::chrono::nanoseconds takes = later.end - later.start;
    if (k > 0) later.start = std::max(later.start, done_[k - 1].end);
    later.end = later.start + takes + (slow_[k] ? delay_of(takes) : takes.zero());
    done_.push_back(later);
  }
  if (!done_.empty()) sleep_until(done_.back().end);
}

// Waits for all calls that were started, not only for this one, because finished() of the real lane is valid
// only after its wait_all().
Completion SlowedCommunication::wait_for(std::size_t bucket) {
  wait_all();
  return {done_[bucket].end};
}

void plant_state(RankContext& context, int probes_of_turn) {
  if (on_device) throw std::invalid_argument("--planted-state works only in a build for the host");
  auto state = std::make_unique<PlantedState>(probes_of_turn);
  context.allreduce = std::make_unique<SlowedCommunication>(std::move(context.allreduce), *state);
  context.probe = std::move(state);
}

}  // namespace ddproxy
