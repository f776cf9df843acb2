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

std::vector<VerbTimes> closed_volumes(ShardStage stage, int micro_batches) {
  ShardWay const& way = way_of(stage);
  const double k = micro_batches;
  std::vector<VerbTimes> volumes{{way.reduce, way.divided.gradients ? k : 1}};
  if (way.divided.parameters)
    volumes.push_back({Verb::all_gather, 2 * k});
  else if (way.divided.optimizer)
    volumes.push_back({way.update, 1});
  return volumes;
}

}  // namespace ddproxy::model
