// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/sharded_builder.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/step/strategies/tied_head.hpp"

namespace ddproxy::model {
namespace {

/// Returns groups of `size` ranks each. Neighbours in a group are `stride` apart.
Communicator groups_of(std::size_t ranks, std::size_t size, std::size_t stride) {
  Communicator all{std::vector<std::vector<std::size_t>>(ranks / size)};
  for (std::size_t rank = 0; rank < ranks; ++rank)
    all.groups[stride == 1 ? rank / size : rank % stride].push_back(rank);
  return all;
}

}  // namespace

Lane ShardGroups::lane(CommunicatorId id) const {
  std::size_t number = 0;
  if (replicas && id == *replicas) number = 1;
  if (id == gathers && gathers != reduces) number = replicas ? 2 : 1;
  return {LaneKind::communication, number};
}

ShardGroups shard_groups(Sharding const& sharding, std::size_t ranks) {
  ShardGroups groups{.communicators = {groups_of(ranks, ranks, 1)},
                     .ranks = sharding.group == 0 ? ranks : sharding.group};
  if (groups.ranks > ranks || ranks % groups.ranks != 0) {
    throw std::invalid_argument("sharded step: a group of " + std::to_string(groups.ranks) +
                                " ranks does not divide " + std::to_string(ranks) + " ranks");
  }
  const auto add = [&](Communicator communicator) {
    groups.communicators.push_back(std::move(communicator));
    return CommunicatorId{groups.communicators.size() - 1};
  };
  if (groups.ranks < ranks) {
    groups.reduces = groups.gathers = add(groups_of(ranks, groups.ranks, 1));
    groups.replicas = add(groups_of(ranks, ranks / groups.ranks, groups.ranks));
  }
  if (sharding.lanes > 1) groups.gathers = add(groups.communicators[index(groups.reduces)]);
  return groups;
}

RankGraphs for_each_class(ShardGroups const& groups, std::vector<ShardedSlice> const& slices, bool all_differ,
                          RankClasses classes,
                          std::function<StepGraph(std::optional<std::size_t> place)> const& build) {
  const auto is_full = [&](std::size_t place) {
    return std::ranges::all_of(slices,
                               [&](auto const& each) { return each.held(place).count == each.part(); });
  };
  RankGraphs step{groups.communicators, {}};
  std::map<std::optional<std::size_t>, std::size_t> class_of;  // [place]
  for (auto const& group : groups.communicators[index(groups.reduces)].groups) {
    for (std::size_t p = 0; p < group.size(); ++p) {
      const std::size_t of = classes == RankClasses::first ? 0 : p;
      const auto place = all_differ || !is_full(of) ? std::optional(of) : std::nullopt;
      const auto [found, is_new] = class_of.try_emplace(place, step.classes.size());
      if (is_new) step.classes.push_back({build(place), {}});
      step.classes[found->second].ranks.push_back(group[p]);
    }
  }
  return step;
}

ShardedBuilder::ShardedBuilder(BackwardPass const& pass, Strategy const& strategy, ShardGroups const& groups,
                               std::optional<std::size_t> place)
    : pass_(pass),
      strategy_(strategy),
      groups_(groups),
      place_(place),
      layout_(pass.gradients),
      head_(tied_head(pass)) {
  if (strategy.clipped) norm_ = builder_.buffer({.kind = BufferKind::scalar, .elements = norm_elements});
}

BufferId ShardedBuilder::shard_buffer(BufferKind kind, Content content, ShardedSlice const& sharded,
                                      bool kept, bool exits) {
  const BufferState state{content, sharded.model, groups_.reduces};
  return builder_.buffer({.kind = kind,
                          .elements = sharded.part(),
                          .at_entry = kept ? state : BufferState{},
                          .at_exit = kept || exits ? state : BufferState{}});
}

Access ShardedBuilder::whole(BufferId buffer, ShardedSlice const& sharded, AccessMode mode,
                             Content content) const {
  return {.buffer = buffer,
          .slice = {0, sharded.padded()},
          .mode = mode,
          .content = content,
          .model = sharded.model.offset,
          .padding = sharded.padding()};
}

Access ShardedBuilder::shard(BufferId buffer, ShardedSlice const& sharded, AccessMode mode,
                             Content content) const {
  return {.buffer = buffer,
          .slice = {0, sharded.part()},
          .mode = mode,
          .content = content,
          .model = sharded.model.offset,
          .shard = groups_.reduces};
}

Access ShardedBuilder::own(BufferId buffer, ShardedSlice const& sharded, AccessMode mode,
                           Content content) const {
  if (!place_) return shard(buffer, sharded, mode, content);
  const Slice held = sharded.held(*place_);
  return {.buffer = buffer, .slice = {0, held.count}, .mode = mode, .content = content, .model = held.offset};
}

Access ShardedBuilder::own_part(BufferId buffer, ShardedSlice const& sharded, AccessMode mode,
                                Content content) const {
  if (!place_) {
    Access access = whole(buffer, sharded, mode, content);
    access.part = groups_.reduces;
    return access;
  }
  const Slice held = sharded.held(*place_);
  return {.buffer = buffer,
          .slice = {held.offset - sharded.model.offset, held.count},
          .mode = mode,
          .content = content,
          .model = held.offset};
}

Access ShardedBuilder::tensor(BufferId buffer, ShardedSlice const& sharded, std::size_t tensor,
                              AccessMode mode, Content content) const {
  const Slice slice = layout_[tensor].slice();
  return {.buffer = buffer,
          .slice = {slice.offset - sharded.model.offset, slice.count},
          .mode = mode,
          .content = content,
          .model = slice.offset};
}

TaskId ShardedBuilder::collective(Verb verb, CommunicatorId on, std::vector<Access> accesses, DataType wire) {
  return builder_.task({.work = Collective{.verb = verb, .communicator = on, .wire = wire},
                        .accesses = std::move(accesses),
                        .lane = groups_.lane(on)});
}

TaskId ShardedBuilder::reduce_scatter(ShardedSlice const& sharded, BufferId from, BufferId to,
                                      AccessMode mode, bool last_use) {
  Access read = whole(from, sharded, AccessMode::read, Content::gradient);
  read.last_use = last_use;
  return collective(Verb::reduce_scatter, groups_.reduces,
                    {read, shard(to, sharded, mode, Content::gradient)}, strategy_.ddp.wire);
}

void ShardedBuilder::reduce_replicas(ShardedSlice const& sharded, BufferId shard) {
  if (!groups_.replicas) return;
  collective(Verb::all_reduce, *groups_.replicas,
             {this->shard(shard, sharded, AccessMode::modify, Content::gradient)}, strategy_.ddp.wire);
}

void ShardedBuilder::add_norm(std::vector<Access> const& gradients, bool over_ranks) {
  if (!norm_) return;
  Access scalar{
      .buffer = *norm_, .slice = {0, norm_elements}, .mode = AccessMode::assign, .content = Content::norm};
  for (Access const& each : gradients) {
    builder_.task({.work = Compute{OperatorId{}, Phase::norm}, .accesses = {scalar, each}});
    scalar.mode = AccessMode::contribute;
  }
  scalar.mode = AccessMode::modify;
  if (!over_ranks) return;
  builder_.task(
      {.work =
           Collective{.verb = Verb::all_reduce, .communicator = groups_.reduces, .reduction = Reduction::sum},
       .accesses = {scalar},
       .lane = groups_.lane(groups_.reduces)});
}

void ShardedBuilder::add_update(Access gradients, Access parameters, std::vector<Access> const& state) {
  gradients.last_use = true;
  std::vector<Access> accesses{gradients, parameters};
  accesses.insert(accesses.end(), state.begin(), state.end());
  if (norm_)
    accesses.push_back(
        {.buffer = *norm_, .slice = {0, norm_elements}, .mode = AccessMode::read, .content = Content::norm});
  builder_.task({.work = Compute{OperatorId{}, Phase::update}, .accesses = std::move(accesses)});
}

void ShardedBuilder::add_clip(Access gradients) {
  gradients.mode = AccessMode::modify;
  const Access scalar{
      .buffer = *norm_, .slice = {0, norm_elements}, .mode = AccessMode::read, .content = Content::norm};
  builder_.task({.work = Compute{OperatorId{}, Phase::clip}, .accesses = {scalar, gradients}});
}

StepGraph ShardedBuilder::finish() {
  Expected expected{.replicas = CommunicatorId{0},
                    .micro_batches = strategy_.micro_batches,
                    .gradients = expected_gradients(pass_),
                    .clipped = strategy_.clipped,
                    .updated = updates()};
  return builder_.finish(std::move(expected));
}

std::vector<ComputedGradient> computed_gradients(BackwardPass const& pass, std::size_t operation,
                                                 std::optional<std::size_t> tied) {
  std::vector<ComputedGradient> computed;
  for (std::size_t g = 0; g < pass.gradients.size(); ++g)
    if (pass.gradients[g].operation == operation)
      computed.push_back({g, tied && g + 1 == pass.gradients.size()});
  if (operation == tied) computed.push_back({pass.gradients.size() - 1, false});
  return computed;
}

}  // namespace ddproxy::model
