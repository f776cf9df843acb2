// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/group_lane.hpp"

#include <utility>

#include "miniapp/input/step_strategy.hpp"
#include "miniapp/measure/step/step_groups.hpp"
#include "model/cost/collective_tables.hpp"

namespace ddproxy {
namespace {

model::Communicator groups_of(RankContext const& context, int ranks) {
  const auto all = static_cast<std::size_t>(context.ranks()), of_group = static_cast<std::size_t>(ranks);
  return context.strided ? replica_groups(all, of_group) : unit_groups(all, of_group);
}

}  // namespace

void use_group_lane(RankContext& context, int ranks, bool strided) {
  context.strided = strided;
  const model::RankGraphs grouped{{groups_of(context, ranks)}, {}};
  const StepGroups groups(grouped, context.runtime, !context.reduces());
  const GroupPlace place = groups.places().front();
  const LaneGroup lane{groups.communicator(model::CommunicatorId{0}),
                       place,
                       {context.arena.size()},
                       model::nodes_of(grouped.communicators.front(), context.config.ranks_per_node)};
  const auto limit = context.runtime.limited("MPI_Comm_dup");
  context.allreduce.reset();  // frees its buffers before those of the new lane are allocated
  auto lanes = make_group_lanes(context.config, context.choice, {&lane, 1}, context.memory);
  context.allreduce = std::move(lanes.front());
  context.group = place;
}

int nodes_of_groups(RankContext const& context) {
  const auto groups = groups_of(context, context.grouping().ranks);
  if (!context.reduces()) return model::nodes_of(groups, context.config.ranks_per_node);
  return model::nodes_of(groups, context.runtime.node_of_ranks());
}

}  // namespace ddproxy
