// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "model/step/strategies/sharded_steps.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"

namespace ddproxy::model {
namespace {

constexpr std::size_t ranks = 8;

Sharding fsdp(ShardUnit unit, bool reshard = true) {
  return {.stage = ShardStage::fsdp, .unit = unit, .reshard_after_forward = reshard};
}

std::size_t elements(std::vector<GatheredUnit> const& units) {
  std::size_t sum = 0;
  for (auto const& unit : units) sum += unit.elements;
  return sum;
}

TEST(GatheredUnits, AreTheLayersAndTheRoot) {
  const Shape shape = find_preset("gpt2");
  const auto pass = backward_pass(shape);
  const auto units = gathered_units(pass, fsdp(ShardUnit::layer), ranks);
  ASSERT_EQ(units.size(), 13U);
  for (auto const& unit : units) {
    EXPECT_EQ(unit.stays, !unit.block);
    const std::int64_t block = 12 * 768 * 768 + 13 * 768, outside = (50257 + 1024 + 2) * 768;
    const auto exact = static_cast<std::size_t>(unit.block ? block : outside);
    EXPECT_GE(unit.elements, exact);
    EXPECT_LT(unit.elements, exact + 2 * ranks);  // the root unit has two runs; each is padded
  }
  EXPECT_GE(elements(units), static_cast<std::size_t>(parameters(pass)));
}

TEST(GatheredUnits, AreASingleUnitIfTheShardUnitIsTheWholeModel) {
  const auto pass = backward_pass(find_preset("gpt2"));
  const auto units = gathered_units(pass, fsdp(ShardUnit::whole), ranks);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_TRUE(units[0].stays);
  EXPECT_LT(units[0].elements - static_cast<std::size_t>(parameters(pass)), ranks);
}

// In the graph, each unit that stays gathered has a buffer of its own. The other units share buffers.
TEST(GatheredUnits, MatchTheGatheredUnitBuffersOfTheGraph) {
  const auto pass = backward_pass(find_preset("tiny"));
  for (const bool reshard : {true, false}) {
    const auto sharding = fsdp(ShardUnit::layer, reshard);
    std::size_t expected = 0, largest = 0;
    for (auto const& unit : gathered_units(pass, sharding, ranks)) {
      if (unit.stays) expected += unit.elements;
      if (unit.block) largest = std::max(largest, unit.elements);
    }
    if (reshard) expected += 2 * largest;  // prefetching one unit ahead needs two buffers
    const auto step = whole_step(pass, forward_pass(find_preset("tiny")), 3, {.sharding = sharding}, ranks);
    std::size_t gathered = 0;
    for (auto const& buffer : step.classes.front().graph.buffers)
      if (buffer.kind == BufferKind::gathered_unit) gathered += buffer.elements;
    EXPECT_EQ(gathered, expected) << reshard;
  }
}

}  // namespace
}  // namespace ddproxy::model
