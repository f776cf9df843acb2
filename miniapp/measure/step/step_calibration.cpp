// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_calibration.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "miniapp/input/message_sizes.hpp"
#include "miniapp/measure/calibration/rounds.hpp"

namespace ddproxy {
namespace {

constexpr std::int64_t least_largest =
    4096;  // bytes; the tables of a sharded step go at least this far, so that they have several sizes

std::int64_t arena_bytes(RankContext const& rank, int element_bytes) {
  return static_cast<std::int64_t>(rank.arena.size()) * element_bytes;
}

std::vector<std::int64_t> sizes_of(StepContext const& context) {
  auto const& workload = context.rank.workload;
  std::vector<std::int64_t> buckets;
  for (auto const& call : context.step->collectives())
    buckets.push_back(
        wire_bytes(static_cast<std::int64_t>(call.assigned.count) * gradient_element_bytes, workload.wire));
  return with_bucket_sizes(message_sizes(wire_bytes(workload.bytes(), workload.wire)), buckets);
}

// Returns the sizes, in bytes, at which a(x) is measured for a sharded step. The last one is that of its
// largest collective, but at least least_largest and at most the arena.
std::vector<std::int64_t> sizes_of_sharded(StepContext const& context) {
  std::int64_t largest = least_largest;
  for (auto const& [key, use] : verb_uses(context.graphs))
    largest = std::max(largest, std::ranges::max(use.bytes));
  return message_sizes(
      std::min(largest, arena_bytes(context.rank, wire_element_bytes(context.rank.workload.wire))));
}

std::vector<std::int64_t> sizes_of_use(RankContext const& rank, VerbKey key, VerbUse const& use) {
  const int element = model::bytes_of(use.wire);
  const std::int64_t room = arena_bytes(rank, element);
  const auto largest = std::min(std::max(least_largest, std::ranges::max(use.bytes)), room);
  const std::int64_t multiple = has_parts(key.first) ? std::int64_t{element} * use.ranks : element;
  return rounded_sizes(with_bucket_sizes(message_sizes(largest), use.bytes), multiple, room);
}

// While this object lives, the calibration's functions measure on a lane of the step, in place of the lane of
// all ranks.
class OnLane {
 public:
  OnLane(StepContext& context, VerbKey key, VerbUse const& use)
      : rank_(context.rank), lane_(lane_of(context, key.second)) {
    std::swap(rank_.allreduce, lane_);
    rank_.group = context.groups.places()[model::index(key.second)];
    rank_.exact_calls = use.wire == model::DataType::fp32;
  }
  ~OnLane() {
    std::swap(rank_.allreduce, lane_);
    rank_.group.reset();
    rank_.exact_calls = false;
  }
  OnLane(OnLane const&) = delete;
  OnLane& operator=(OnLane const&) = delete;

 private:
  static std::unique_ptr<CommunicationLane>& lane_of(StepContext& context, model::CommunicatorId id) {
    auto const& lanes = context.step->lanes();
    const auto found = std::ranges::find(lanes, id);
    if (found == lanes.end()) throw std::logic_error("no lane of the step has the communicator");
    return context.own_lanes.at(static_cast<std::size_t>(found - lanes.begin()));
  }

  RankContext& rank_;
  std::unique_ptr<CommunicationLane>& lane_;
};

// The measurements of all verbs of a sharded step.
class VerbRounds {
 public:
  explicit VerbRounds(StepContext& context) : context_(context) {
    if (context.own_lanes.empty() || !context.rank.reduces()) return;
    uses_ = verb_uses(context.graphs);
    for (auto const& [key, use] : uses_) {
      const OnLane on(context, key, use);
      tables_.emplace_back(context.rank, sizes_of_use(context.rank, key, use), std::vector{key.first});
    }
  }

  void take(int round, int rounds) {
    auto table = tables_.begin();
    for (auto const& [key, use] : uses_) {
      const OnLane on(context_, key, use);
      (table++)->take(round, rounds);
    }
  }

  // Returns the times of all uses. Collective.
  std::vector<VerbTimes> times() const {
    std::vector<VerbTimes> all;
    if (uses_.empty()) return all;
    const auto node = context_.rank.runtime.node_of_ranks();
    auto table = tables_.begin();
    for (auto const& [key, use] : uses_)
      all.push_back({key, use.ranks, (table++)->times(),
                     model::nodes_of(context_.graphs.communicators[model::index(key.second)], node)});
    return all;
  }

 private:
  StepContext& context_;
  std::map<VerbKey, VerbUse> uses_;
  std::vector<CollectiveRounds> tables_;  // [use]
};

}  // namespace

VerbTables StepTables::measured() const {
  std::map<VerbKey, model::TableCost> tables;
  for (auto const& verb : verbs) tables.emplace(verb.key, model::TableCost(to_table(verb.times)));
  return [tables](VerbKey key, model::RankGroup) -> std::optional<VerbTable> {
    const auto found = tables.find(key);
    if (found == tables.end()) return std::nullopt;
    return VerbTable{found->second, true};
  };
}

StepTables calibrate_step(StepContext& context) {
  const int samples = context.rank.config.samples, rounds = calibration_rounds(samples);
  const bool sharded = !context.own_lanes.empty();
  std::vector<std::int64_t> sizes;
  if (context.rank.reduces()) sizes = sharded ? sizes_of_sharded(context) : sizes_of(context);
  CollectiveRounds table(context.rank, sizes);
  VerbRounds verbs(context);
  ContentionRounds contention(context.rank, samples);
  for (int round = 0; round < rounds; ++round) {
    table.take(round, rounds);
    verbs.take(round, rounds);
    contention.take(round, rounds);
  }
  return {table.times(), contention.runs(), verbs.times()};
}

}  // namespace ddproxy
