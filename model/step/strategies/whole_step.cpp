// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/whole_step.hpp"

#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/sharded_steps.hpp"
#include "model/step/strategies/tied_head.hpp"

namespace ddproxy::model {
namespace {

constexpr CommunicatorId world{0};
constexpr std::size_t sum_elements = 2;  // the sum of squares is in double: two elements of 4 bytes

class WholeStepBuilder {
 public:
  WholeStepBuilder(BackwardPass const& pass, WholeStep const& strategy)
      : pass_(pass), strategy_(strategy), layout_(pass), head_(tied_head(pass)), all_{0, layout_.elements()} {
    parameters_ = kept(BufferKind::parameter, Content::parameter);
    const bool copied = strategy.ddp.copies != CopyMode::none;
    const bool in_buckets = strategy.ddp.copies == CopyMode::in;  // reduced gradients stay in the buckets
    const BufferState reduced{Content::gradient, all_};
    const BufferState used = updates() ? BufferState{} : reduced;
    gradients_ = builder_.buffer(
        {.kind = BufferKind::gradient, .elements = all_.count, .at_exit = in_buckets ? BufferState{} : used});
    buckets_ = copied ? builder_.buffer({.kind = BufferKind::bucket,
                                         .elements = all_.count,
                                         .at_exit = in_buckets ? used : BufferState{}})
                      : gradients_;
    reduced_ = in_buckets ? buckets_ : gradients_;
    if (updates()) {
      moments_[0] = kept(BufferKind::optimizer_state, Content::optimizer_state);
      moments_[1] = kept(BufferKind::optimizer_state, Content::optimizer_state);
    }
    if (strategy.clipped) norm_ = builder_.buffer({.kind = BufferKind::scalar, .elements = sum_elements});
    for (Bucket const& bucket : strategy.ddp.plan) runs_.push_back(slice_of(bucket, layout_));
    if (runs_.empty()) runs_.push_back(all_);
  }

  RankGraphs build(ForwardPass const& forward, std::int64_t tokens, std::size_t ranks) {
    const std::vector<Task> tasks =
        micro_batch(builder_, forward, layout_, parameters_, tokens, strategy_.checkpoint);
    for (int m = 0; m < strategy_.micro_batches; ++m) run(tasks, m);
    if (norm_) add_squares();
    for (const Slice bucket : runs_) {
      if (updates())
        update(bucket);
      else if (norm_)
        clip(bucket);
    }
    std::vector<std::size_t> group(ranks);
    std::iota(group.begin(), group.end(), std::size_t{0});
    return {{{{group}}}, {{builder_.finish(expected()), group}}};
  }

 private:
  bool updates() const { return strategy_.optimizer != Optimizer::none; }

  /// Adds a buffer with one element for each parameter. It keeps its content from step to step.
  BufferId kept(BufferKind kind, Content content) {
    const BufferState state{content, all_};
    return builder_.buffer({.kind = kind, .elements = all_.count, .at_entry = state, .at_exit = state});
  }

  Access access(BufferId buffer, Slice slice, AccessMode mode, Content content = Content::gradient) const {
    return {.buffer = buffer, .slice = slice, .mode = mode, .content = content, .model = slice.offset};
  }

  // ---- micro-batches

  void run(std::vector<Task> const& tasks, int m) {
    const bool synced = strategy_.sync == Sync::each || m + 1 == strategy_.micro_batches;
    auto before = std::exchange(last_reduced_, std::nullopt);
    next_gradient_ = next_bucket_ = 0;
    for (Task task : tasks) {
      std::get<Compute>(task.work).micro_batch = m;
      if (before) task.after = {*before};
      before.reset();
      if (std::get<Compute>(task.work).phase == Phase::backward)
        backward(std::move(task), m, synced);
      else
        builder_.task(std::move(task));
    }
    if (synced) end_of_backward();
  }

  void backward(Task task, int m, bool synced) {
    const std::size_t o = index(std::get<Compute>(task.work).op), first = next_gradient_;
    for (; next_gradient_ < pass_.gradients.size() && pass_.gradients[next_gradient_].operation == o;
         ++next_gradient_) {
      const bool second = head_ && next_gradient_ + 1 == pass_.gradients.size();
      task.accesses.push_back(gradient(next_gradient_, m == 0 && !second));
    }
    if (o == head_) task.accesses.push_back(gradient(pass_.gradients.size() - 1, m == 0));
    last_compute_ = builder_.task(std::move(task));
    if (!synced) return;
    for (std::size_t g = first; g < next_gradient_ && strategy_.ddp.copies != CopyMode::none; ++g)
      last_compute_ = copy(layout_[g], gradients_, buckets_);
    while (strategy_.ddp.overlapped && next_bucket_ < runs_.size() && is_complete(next_bucket_))
      all_reduce(next_bucket_++, {});
  }

  Access gradient(std::size_t g, bool assigns) const {
    return access(gradients_, layout_[g], assigns ? AccessMode::assign : AccessMode::contribute);
  }

  /// Returns true if the operators so far have completed every gradient of a bucket.
  bool is_complete(std::size_t bucket) const {
    return !strategy_.ddp.plan.empty() && strategy_.ddp.plan[bucket].last < next_gradient_;
  }

  void end_of_backward() {
    if (strategy_.ddp.plan.empty()) return;
    for (; next_bucket_ < runs_.size(); ++next_bucket_) all_reduce(next_bucket_, {last_compute_});
    if (strategy_.ddp.copies != CopyMode::in_out) return;
    for (const Slice bucket : runs_) copy(bucket, buckets_, gradients_);
  }

  TaskId copy(Slice slice, BufferId from, BufferId to) {
    const CopyKind kind = to == gradients_ ? CopyKind::out_of_bucket : CopyKind::into_bucket;
    return builder_.task(
        {.work = Copy{kind},
         .accesses = {access(from, slice, AccessMode::read), access(to, slice, AccessMode::assign)}});
  }

  void all_reduce(std::size_t bucket, std::vector<TaskId> const& after) {
    last_reduced_ = builder_.task(
        {.work = Collective{.verb = Verb::all_reduce, .communicator = world, .wire = strategy_.ddp.wire},
         .accesses = {access(buckets_, runs_[bucket], AccessMode::modify)},
         .lane = {LaneKind::communication, 0},
         .after = after});
  }

  // ---- after the micro-batches

  Access norm(AccessMode mode) const { return access(*norm_, {0, sum_elements}, mode, Content::norm); }

  void add_squares() {
    AccessMode mode = AccessMode::assign;
    for (const Slice bucket : runs_) {
      builder_.task({.work = Compute{OperatorId{}, Phase::norm},
                     .accesses = {norm(mode), access(reduced_, bucket, AccessMode::read)}});
      mode = AccessMode::contribute;
    }
  }

  void clip(Slice bucket) {
    builder_.task({.work = Compute{OperatorId{}, Phase::clip},
                   .accesses = {norm(AccessMode::read), access(reduced_, bucket, AccessMode::modify)}});
  }

  void update(Slice bucket) {
    Access gradient = access(reduced_, bucket, AccessMode::read);
    gradient.last_use = true;
    std::vector<Access> accesses{gradient,
                                 access(parameters_, bucket, AccessMode::modify, Content::parameter)};
    for (const BufferId moment : moments_)
      accesses.push_back(access(moment, bucket, AccessMode::modify, Content::optimizer_state));
    if (norm_) accesses.push_back(norm(AccessMode::read));
    builder_.task({.work = Compute{OperatorId{}, Phase::update}, .accesses = std::move(accesses)});
  }

  Expected expected() const {
    return {.replicas = world,
            .micro_batches = strategy_.micro_batches,
            .gradients = expected_gradients(pass_),
            .clipped = strategy_.clipped,
            .updated = updates()};
  }

  BackwardPass const& pass_;
  WholeStep const& strategy_;
  TensorLayout layout_;
  std::optional<std::size_t> head_;
  Slice all_;
  GraphBuilder builder_;
  BufferId parameters_, gradients_, buckets_;
  BufferId reduced_;  // the buffer with the averaged gradients
  BufferId moments_[2] = {};
  std::optional<BufferId> norm_;
  std::vector<Slice> runs_;  // [bucket]; one slice with the whole model if there is no plan
  std::size_t next_gradient_ = 0, next_bucket_ = 0;
  TaskId last_compute_{};
  std::optional<TaskId> last_reduced_;  // the last all-reduce of the current micro-batch
};

}  // namespace

RankGraphs whole_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                      WholeStep const& strategy, std::size_t ranks, RankClasses classes) {
  if (strategy.micro_batches < 1 || tokens < 1) {
    throw std::invalid_argument("whole step: " + std::to_string(strategy.micro_batches) +
                                " micro-batches of " + std::to_string(tokens) +
                                " tokens; both numbers must be positive");
  }
  if (forward.operations.size() != pass.operations.size()) {
    throw std::invalid_argument(
        "whole step: the forward pass has " + std::to_string(forward.operations.size()) +
        " operators, but the backward pass has " + std::to_string(pass.operations.size()) +
        "; give two passes of the same model");
  }
  switch (strategy.sharding.stage) {
    case ShardStage::zero1:
    case ShardStage::zero2:
      return zero_step(pass, forward, tokens, strategy, ranks, classes);
    case ShardStage::fsdp:
      return fsdp_step(pass, forward, tokens, strategy, ranks, classes);
    case ShardStage::none:
      break;
  }
  return WholeStepBuilder(pass, strategy).build(forward, tokens, ranks);
}

}  // namespace ddproxy::model
