// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/sharded_forms.hpp"

namespace ddproxy::model {

ClosedState closed_state(ShardStage stage, MemoryFormat format, double parameters, double ranks,
                         bool copied) {
  const bool half = format == MemoryFormat::bf16_master;
  const double each = (half ? 2 : 4) * parameters, optimizer = (half ? 12 : 8) * parameters;
  const bool shards_gradients = stage == ShardStage::zero2 || stage == ShardStage::fsdp;
  ClosedState state;
  state.parameters = stage == ShardStage::fsdp ? each / ranks : each;
  state.gradients = shards_gradients ? each / ranks : each;
  state.buckets = copied ? each : 0;
  state.optimizer = stage == ShardStage::none ? optimizer : optimizer / ranks;
  return state;
}

std::vector<VerbTimes> closed_volumes(ShardStage stage, int micro_batches) {
  const double k = micro_batches;
  switch (stage) {
    case ShardStage::none:
      return {{Verb::all_reduce, 1}};
    case ShardStage::zero1:
      return {{Verb::reduce_scatter, 1}, {Verb::all_gather, 1}};
    case ShardStage::zero2:
      return {{Verb::reduce_scatter, k}, {Verb::all_gather, 1}};
    case ShardStage::fsdp:
      break;
  }
  return {{Verb::reduce_scatter, k}, {Verb::all_gather, 2 * k}};
}

}  // namespace ddproxy::model
