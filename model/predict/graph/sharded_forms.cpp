// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/sharded_forms.hpp"

namespace ddproxy::model {

ClosedState closed_state(ShardStage stage, MemoryFormat format, double parameters, double ranks,
                         bool copied) {
  const bool half = format == MemoryFormat::bf16_master;
  const double each = (half ? 2 : 4) * parameters, optimizer = (half ? 12 : 8) * parameters;
  const DividedState divided = way_of(stage).divided;
  ClosedState state;
  state.parameters = divided.parameters ? each / ranks : each;
  state.gradients = divided.gradients ? each / ranks : each;
  state.buckets = copied ? each : 0;
  state.optimizer = divided.optimizer ? optimizer / ranks : optimizer;
  return state;
}

static bool stays_gathered(Sharding const& sharding) {
  return sharding.unit == ShardUnit::whole || !sharding.reshard_after_forward;
}

std::vector<VerbVolume> closed_volumes(Sharding const& sharding, MicroBatches micro_batches,
                                       std::size_t ranks) {
  ShardWay const& way = sharding.way();
  const double k = micro_batches.count;
  const std::size_t n = sharding.group > 0 ? sharding.group : ranks;
  const bool each = way.divided.gradients || micro_batches.sync == Sync::each;
  std::vector<VerbVolume> volumes{{way.keys.reduce ? sharding.reduce : way.reduce, each ? k : 1, n}};
  if (way.divided.parameters)
    volumes.push_back({Verb::all_gather, stays_gathered(sharding) ? k : 2 * k, n});
  else if (way.divided.optimizer)
    volumes.push_back({way.keys.update ? sharding.update : way.update, 1, n});
  if (n < ranks) volumes.push_back({Verb::all_reduce, 1 / static_cast<double>(n), ranks / n});
  return volumes;
}

}  // namespace ddproxy::model
