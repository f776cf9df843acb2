// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/unit_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "miniapp/input/host_memory.hpp"
#include "miniapp/input/units.hpp"
#include "miniapp/input/words.hpp"
#include "model/step/strategies/sharded_steps.hpp"

namespace ddproxy {
namespace {

std::string parts_of(model::GatheredUnit const& unit, model::ShardUnit kind) {
  if (kind == model::ShardUnit::whole) return "the whole model";
  return unit.block ? fmt::format("layer {}", *unit.block) : "all parameters outside of the layers";
}

}  // namespace

void check_units(Config const& config, model::Sharding const& sharding, std::size_t ranks,
                 UnitRoom const& room) {
  if (!sharding.way().has_units) return;
  const std::size_t shared_by = sharding.group > 0 ? sharding.group : ranks;
  const auto units = model::gathered_units(model::backward_pass(config.shape), sharding, shared_by);
  const auto& largest = *std::ranges::max_element(units, {}, &model::GatheredUnit::elements);
  const double bytes = static_cast<double>(largest.elements) * room.element_bytes;
  if (bytes <= room.bytes) return;
  const char* other_unit = sharding.unit == model::ShardUnit::whole ? "set unit = \"layer\", or " : "";
  throw std::invalid_argument(fmt::format(
      "{}: [shard] unit = \"{}\": each rank has to gather {} as one unit of {:.4g} GB, but {} has {:.4g} GB, "
      "and more ranks do not help; {}use a smaller model or more memory for each rank",
      config.file.string(), word_of(sharding.unit, shard_unit_words), parts_of(largest, sharding.unit),
      bytes / giga, room.whose, room.bytes / giga, other_unit));
}

UnitRoom room_of_device(Config const& config) {
  const double infinite = std::numeric_limits<double>::infinity();
  return {config.device_memory > 0 ? config.device_memory : infinite, "a device ([machine] memory)"};
}

UnitRoom room_of_host() {
  return {total_memory(), "this machine"};
}

}  // namespace ddproxy
