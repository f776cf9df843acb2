// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/unit_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "miniapp/input/host_memory.hpp"
#include "miniapp/input/words.hpp"
#include "model/step/strategies/sharded_steps.hpp"

namespace ddproxy {
namespace {

constexpr double giga = 1e9;

std::string name_of(model::GatheredUnit const& unit, model::ShardUnit kind) {
  if (kind == model::ShardUnit::whole) return "the unit is the whole model and";
  if (unit.block) return fmt::format("the unit of layer {}", *unit.block);
  return "the unit of all parameters outside of the layers";
}

}  // namespace

void check_units(Config const& config, model::Sharding const& sharding, std::size_t ranks,
                 UnitRoom const& room) {
  if (sharding.stage != model::ShardStage::fsdp) return;
  const std::size_t shared_by = sharding.group > 0 ? sharding.group : ranks;
  const auto units = model::gathered_units(model::backward_pass(config.shape), sharding, shared_by);
  const auto& largest = *std::ranges::max_element(units, {}, &model::GatheredUnit::elements);
  const double bytes = static_cast<double>(largest.elements) * room.element_bytes;
  if (bytes <= room.bytes) return;
  throw std::invalid_argument(fmt::format(
      "{}: [shard] unit = \"{}\": {} has {:.4g} GB, and each rank has to gather it, but {} has {:.4g} GB, "
      "whatever the number of ranks; {}use a smaller model or more memory for each rank",
      config.file.string(), word_of(sharding.unit, shard_unit_words), name_of(largest, sharding.unit),
      bytes / giga, room.whose, room.bytes / giga,
      sharding.unit == model::ShardUnit::whole ? "set unit = \"layer\", or " : ""));
}

UnitRoom room_of_device(Config const& config) {
  const double infinite = std::numeric_limits<double>::infinity();
  return {config.device_memory > 0 ? config.device_memory : infinite, "a device ([machine] memory)"};
}

UnitRoom room_of_host() {
  return {total_memory(), "this machine"};
}

}  // namespace ddproxy
