// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "model/step/strategies/sharded_builder.hpp"
#include "model/step/strategies/sharded_steps.hpp"

namespace ddproxy::model {
namespace {

/// A bucket, and the buffers that belong to it.
struct ShardedBucket {
  ShardedSlice sharded;
  std::size_t first, last;   // indices of its first and last tensor
  BufferId parameters = {};  // the parameters of all shards, and the padding
  BufferId gradients = {};   // begins with the gradients of this bucket and their padding
  BufferId shard = {};       // this rank's shard of the averaged gradients; only with reduce-scatters
  BufferId moments[2] = {};  // this rank's shard of the optimizer state
};

std::vector<ShardedBucket> buckets_of(Plan const& plan, TensorLayout const& layout, std::size_t ranks) {
  std::vector<ShardedBucket> buckets;
  for (Bucket const& bucket : plan) buckets.push_back({{bucket.slice(), ranks}, bucket.first, bucket.last});
  if (buckets.empty()) buckets.push_back({{{0, layout.elements()}, ranks}, 0, layout.size() - 1});
  return buckets;
}

class ZeroStep : ShardedBuilder {
 public:
  ZeroStep(BackwardPass const& pass, Strategy const& strategy, ShardGroups const& groups,
           std::vector<ShardedBucket> buckets, std::optional<std::size_t> place)
      : ShardedBuilder(pass, strategy, groups, place), buckets_(std::move(buckets)) {
    for (ShardedBucket& bucket : buckets_) add_buffers(bucket);
    add_gradients();
  }

  StepGraph build(ForwardPass const& forward, std::int64_t tokens) {
    const BufferId any{0};  // own_parameters() replaces it
    const auto tasks = micro_batch(builder_, forward, layout_, any, tokens, strategy_.checkpoint);
    for (int m = 0; m < strategy_.micro_batches; ++m) run(tasks, m);
    if (norm_) add_norm(gradients_to_read(), scatters());
    for (ShardedBucket const& bucket : buckets_) finish_bucket(bucket);
    return finish();
  }

 private:
  bool divides_gradients() const { return strategy_.sharding.way().divided.gradients; }
  bool scatters() const { return divides_gradients() || strategy_.sharding.reduce == Verb::reduce_scatter; }
  bool reduces_each() const { return divides_gradients() || strategy_.sync == Sync::each; }

  // ---- buffers

  void add_buffers(ShardedBucket& bucket) {
    const BufferState parameters{Content::parameter, bucket.sharded.model};
    bucket.parameters = builder_.buffer({.kind = BufferKind::parameter,
                                         .elements = bucket.sharded.padded(),
                                         .at_entry = parameters,
                                         .at_exit = parameters});
    if (scatters())
      bucket.shard = shard_buffer(BufferKind::gradient, Content::gradient, bucket.sharded, false, !updates());
    for (BufferId& moments : bucket.moments)
      if (updates())
        moments = shard_buffer(BufferKind::optimizer_state, Content::optimizer_state, bucket.sharded, true);
  }

  void add_gradients() {
    std::size_t largest = 0, turn = 0;
    for (ShardedBucket const& bucket : buckets_) largest = std::max(largest, bucket.sharded.padded());
    std::vector<BufferId> slots;
    for (ShardedBucket& bucket : buckets_) {
      const bool tied = head_ && &bucket == &buckets_.back();
      if (!divides_gradients() || tied) {
        bucket.gradients = add_gradients_of(bucket);
      } else {
        if (slots.size() < 2)
          slots.push_back(builder_.buffer({.kind = BufferKind::bucket, .elements = largest}));
        bucket.gradients = slots[turn++ % 2];
      }
    }
  }

  BufferId add_gradients_of(ShardedBucket const& bucket) {
    const bool exits = !scatters() && !updates();
    return builder_.buffer(
        {.kind = divides_gradients() ? BufferKind::bucket : BufferKind::gradient,
         .elements = bucket.sharded.padded(),
         .at_exit = exits ? BufferState{Content::gradient, bucket.sharded.model} : BufferState{}});
  }

  ShardedBucket const& bucket_of(std::size_t tensor) const {
    return *std::ranges::find_if(buckets_, [&](auto const& bucket) { return tensor <= bucket.last; });
  }

  // ---- micro-batches

  void run(std::vector<Task> const& tasks, int m) {
    complete_ = next_bucket_ = 0;
    const bool reduces = reduces_each() || m + 1 == strategy_.micro_batches;
    for (Task task : tasks) {
      auto& compute = std::get<Compute>(task.work);
      compute.micro_batch = m;
      own_parameters(task);
      if (const auto before = std::exchange(wait_, std::nullopt)) task.after.push_back(*before);
      const bool is_backward = compute.phase == Phase::backward;
      if (is_backward) add_computed_gradients(task, m);
      last_compute_ = builder_.task(std::move(task));
      if (is_backward && reduces && (strategy_.ddp.overlapped || divides_gradients())) reduce_complete(m);
    }
    for (; reduces && next_bucket_ < buckets_.size(); ++next_bucket_) reduce(buckets_[next_bucket_], m, true);
    if (reduces && !scatters()) wait_ = last_reduced_;  // the next micro-batch adds to its result
  }

  // Points the reads of parameters to the buffers of the buckets.
  void own_parameters(Task& task) const {
    for (Access& access : task.accesses)
      if (access.content == Content::parameter) {
        const std::size_t t = layout_.tensor_of(access.model);
        access =
            tensor(bucket_of(t).parameters, bucket_of(t).sharded, t, AccessMode::read, Content::parameter);
      }
  }

  void add_computed_gradients(Task& task, int m) {
    const bool fresh = m == 0 || (reduces_each() && scatters());
    const std::size_t operation = index(std::get<Compute>(task.work).op);
    for (auto const& [t, second] : computed_gradients(pass_, operation, head_)) {
      auto const& bucket = bucket_of(t);
      const auto mode = fresh && !second ? AccessMode::assign : AccessMode::contribute;
      task.accesses.push_back(tensor(bucket.gradients, bucket.sharded, t, mode, Content::gradient));
      if (pass_.gradients[t].operation == operation) complete_ = std::max(complete_, t + 1);
    }
  }

  void reduce_complete(int m) {
    while (next_bucket_ < buckets_.size() && buckets_[next_bucket_].last < complete_)
      reduce(buckets_[next_bucket_++], m, false);
  }

  void reduce(ShardedBucket const& bucket, int m, bool at_end) {
    if (scatters()) {
      const auto mode = reduces_each() && m > 0 ? AccessMode::contribute : AccessMode::assign;
      last_reduced_ = reduce_scatter(bucket.sharded, bucket.gradients, bucket.shard, mode, true);
    } else {
      last_reduced_ = builder_.task(
          {.work =
               Collective{
                   .verb = Verb::all_reduce, .communicator = groups_.reduces, .wire = strategy_.ddp.wire},
           .accesses = {whole(bucket.gradients, bucket.sharded, AccessMode::modify, Content::gradient)},
           .lane = groups_.lane(groups_.reduces),
           .after = at_end ? std::vector{last_compute_} : std::vector<TaskId>{}});
    }
    if (!strategy_.ddp.overlapped) wait_ = last_reduced_;
  }

  // ---- after the micro-batches

  Access reduced(ShardedBucket const& bucket, AccessMode mode) const {
    return scatters() ? own(bucket.shard, bucket.sharded, mode, Content::gradient)
                      : own_part(bucket.gradients, bucket.sharded, mode, Content::gradient);
  }

  std::vector<Access> gradients_to_read() const {
    std::vector<Access> all;
    for (ShardedBucket const& bucket : buckets_) {
      all.push_back(reduced(bucket, AccessMode::read));
      if (scatters()) continue;
      all.back() = whole(bucket.gradients, bucket.sharded, AccessMode::read, Content::gradient);
      all.back().slice.count = bucket.sharded.model.count;  // the norm leaves the padding out
      all.back().padding = 0;
    }
    return all;
  }

  void finish_bucket(ShardedBucket const& bucket) {
    if (!updates()) {
      if (norm_) add_clip(scatters() ? reduced(bucket, AccessMode::modify) : all_of(bucket));
      return;
    }
    std::vector<Access> state;
    for (const BufferId moments : bucket.moments)
      state.push_back(own(moments, bucket.sharded, AccessMode::modify, Content::optimizer_state));
    add_update(reduced(bucket, AccessMode::read),
               own_part(bucket.parameters, bucket.sharded, AccessMode::modify, Content::parameter), state);
    spread(bucket);
  }

  // Returns the access with which a rank clips all gradients of a bucket, in a step with all-reduces and
  // without an optimizer. In such a step every rank keeps all gradients.
  Access all_of(ShardedBucket const& bucket) const {
    return {.buffer = bucket.gradients,
            .slice = {0, bucket.sharded.model.count},
            .mode = AccessMode::modify,
            .content = Content::gradient,
            .model = bucket.sharded.model.offset};
  }

  // Brings the updated parameters of a bucket to all ranks.
  void spread(ShardedBucket const& bucket) {
    if (strategy_.sharding.update == Verb::broadcast) return broadcast(bucket);
    Access mine = whole(bucket.parameters, bucket.sharded, AccessMode::read, Content::parameter);
    mine.part = groups_.gathers;
    collective(Verb::all_gather, groups_.gathers,
               {mine, whole(bucket.parameters, bucket.sharded, AccessMode::assign, Content::parameter)});
  }

  void broadcast(ShardedBucket const& bucket) {
    for (std::size_t root = 0; root < groups_.ranks; ++root) {
      const Slice held = bucket.sharded.held(root);
      if (held.count == 0) continue;
      builder_.task(
          {.work = Collective{.verb = Verb::broadcast, .communicator = groups_.gathers, .root_or_peer = root},
           .accesses = {{.buffer = bucket.parameters,
                         .slice = {held.offset - bucket.sharded.model.offset, held.count},
                         .mode = place_ == root ? AccessMode::read : AccessMode::assign,
                         .content = Content::parameter,
                         .model = held.offset}},
           .lane = groups_.lane(groups_.gathers)});
    }
  }

  std::vector<ShardedBucket> buckets_;
  std::size_t complete_ = 0;  // the gradients of the first `complete_` tensors are complete
  std::size_t next_bucket_ = 0;
  TaskId last_compute_{};
  std::optional<TaskId> last_reduced_, wait_;  // `wait_`: the next compute task waits for it
};

}  // namespace

RankGraphs zero_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                     Strategy const& strategy, std::size_t ranks, RankClasses classes) {
  // ZeRO divides over all ranks, so Sharding::group is not passed on.
  const ShardGroups groups =
      shard_groups({.stage = strategy.sharding.stage, .lanes = strategy.sharding.lanes}, ranks);
  const auto buckets = buckets_of(strategy.ddp.plan, pass.gradients, groups.ranks);
  std::vector<ShardedSlice> slices;
  for (ShardedBucket const& bucket : buckets) slices.push_back(bucket.sharded);
  const bool all_differ = strategy.sharding.update == Verb::broadcast;
  return for_each_class(groups, slices, all_differ, classes, [&](std::optional<std::size_t> place) {
    return ZeroStep(pass, strategy, groups, buckets, place).build(forward, tokens);
  });
}

}  // namespace ddproxy::model
