// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/ddp.hpp"

#include "model/step/strategies/all_reduce_builder.hpp"

namespace ddproxy::model {
namespace {

class DdpBuilder : AllReduceBuilder {
 public:
  DdpBuilder(BackwardPass const& pass, Ddp const& strategy) : AllReduceBuilder(pass, strategy) {
    add_gradients(true);
  }

  RankGraphs build(std::size_t ranks) {
    std::size_t next = 0;  // the next bucket to reduce
    TaskId last_compute{};
    for (std::size_t o = 0; o < pass_.operations.size(); ++o) {
      last_compute = backward({.work = Compute{OperatorId{o}, Phase::backward}, .accesses = {}}, true, true);
      while (ddp_.overlapped && next < ddp_.plan.size() && is_complete(ddp_.plan[next]))
        all_reduce(ddp_.plan[next++].slice(), {});
    }
    const TaskId waited = builder_.task({.work = HostWait{}, .accesses = {}, .after = {last_compute}});
    for (; next < ddp_.plan.size(); ++next) all_reduce(ddp_.plan[next].slice(), {waited});
    for (Bucket const& bucket : ddp_.plan) copy_out(bucket.slice());
    return finish({}, ranks);
  }
};

}  // namespace

RankGraphs ddp(BackwardPass const& pass, Ddp const& strategy, std::size_t ranks) {
  return DdpBuilder(pass, strategy).build(ranks);
}

}  // namespace ddproxy::model
