// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/sharded_forms.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "model/step/describe.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"

// Compares closed_volumes() with the collectives of the step graphs.

namespace ddproxy::model {
namespace {

/// Maps a verb and the number of ranks of a call to the sum of the sizes x of all such calls, as a multiple
/// of Psi. Psi is the number of parameters.
using Volumes = std::map<std::pair<Verb, std::size_t>, double>;

/// Returns the volumes of a rank in a step with AdamW and without clipping.
Volumes of_graph(Shape const& shape, Sharding const& sharding, MicroBatches micro_batches,
                 std::size_t ranks) {
  const auto pass = backward_pass(shape);
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(gradient.numel * 4);
  const std::int64_t cap = 5000;
  const RankGraphs step = whole_step(pass, forward_pass(shape), 3,
                                     {.ddp = {.plan = bucketed_plan(bytes, {&cap, 1})},
                                      .micro_batches = micro_batches.count,
                                      .sync = micro_batches.sync,
                                      .optimizer = Optimizer::adamw,
                                      .sharding = sharding},
                                     ranks);
  // With broadcasts each rank is the root of different calls, so the graphs differ. Without broadcasts the
  // graphs of all ranks are equal, unless a shard has padding.
  const std::size_t classes = sharding.update == Verb::broadcast ? ranks : 1;
  EXPECT_EQ(step.classes.size(), classes) << "a shard has padding, which the closed forms leave out";
  Volumes volumes;
  for (Task const& task : step.classes[0].graph.tasks) {
    const auto collectives = collectives_of(task);
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      auto const& groups = step.communicators[index(collectives[i].communicator)].groups;
      volumes[{collectives[i].verb, groups.front().size()}] +=
          static_cast<double>(full_elements(step, task, i)) / static_cast<double>(parameters(pass));
    }
  }
  return volumes;
}

/// Returns the share of the parameters that stay gathered from the forward pass to the backward pass: those
/// outside of the layers, and those of the last layer.
double share_that_stays(Shape const& shape) {
  const auto pass = backward_pass(shape);
  std::int64_t stays = 0;
  for (auto const& gradient : pass.gradients) {
    const auto block = pass.operations[gradient.operation].block;
    if (!block || *block + 1 == static_cast<std::size_t>(shape.layers)) stays += gradient.numel;
  }
  return static_cast<double>(stays) / static_cast<double>(parameters(pass));
}

/// Checks that the graph has the volumes of closed_volumes() and no other volumes. If FSDP gathers units
/// again, the graph leaves out the units that stay gathered. So the share of these units is subtracted from
/// the closed form. `k` says what the step does with its micro-batches, and `n` is the number of ranks.
void expect_closed(Sharding const& sharding, MicroBatches k, std::size_t n) {
  const Shape shape = find_preset("tiny");
  const Volumes found = of_graph(shape, sharding, k, n);
  const auto closed = closed_volumes(sharding, k, n);
  EXPECT_EQ(found.size(), closed.size());
  for (auto [verb, times, ranks] : closed) {
    const bool gathers_again = sharding.unit == ShardUnit::layer && sharding.reshard_after_forward;
    if (sharding.way().divided.parameters && verb == Verb::all_gather && gathers_again)
      times -= k.count * share_that_stays(shape);
    const auto at = found.find({verb, ranks});
    ASSERT_NE(at, found.end()) << name_of(verb) << " over " << ranks << " ranks";
    EXPECT_NEAR(at->second, times, 1e-12) << sharding.way().name << ", group " << sharding.group << ", "
                                          << name_of(verb) << " over " << ranks << " of " << n << " ranks";
  }
}

TEST(ClosedVolumes, MatchTheGraphsOfAllStages) {
  for (auto const& way : shard_ways())
    for (const std::size_t n : {2, 4, 8})
      for (const int k : {1, 3}) expect_closed(default_sharding(way.stage), {k}, n);
}

TEST(ClosedVolumes, MatchTheGraphsWithGroups) {
  for (const std::size_t group : {2, 4, 8})
    for (const std::size_t n : {8, 16})
      for (const int k : {1, 3}) expect_closed({.stage = ShardStage::fsdp, .group = group}, {k}, n);
}

TEST(ClosedVolumes, MatchTheGraphsWithOtherSettings) {
  Sharding all_reduced = default_sharding(ShardStage::zero1), broadcast = all_reduced;
  all_reduced.reduce = Verb::all_reduce;
  broadcast.update = Verb::broadcast;
  Sharding kept = default_sharding(ShardStage::fsdp), one_unit = kept;
  kept.reshard_after_forward = false;
  one_unit.unit = ShardUnit::whole;
  for (auto const& sharding : {all_reduced, broadcast, kept, one_unit})
    for (const std::size_t n : {2, 4})
      for (const int k : {1, 3}) expect_closed(sharding, {k}, n);
}

TEST(ClosedVolumes, MatchTheGraphsWithSyncInEachMicroBatch) {
  for (auto const& way : shard_ways())
    for (const std::size_t n : {2, 4}) expect_closed(default_sharding(way.stage), {3, Sync::each}, n);
}

}  // namespace
}  // namespace ddproxy::model
