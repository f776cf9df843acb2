// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/whole_step.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/step/strategies/all_reduce_builder.hpp"
#include "model/step/strategies/micro_batch.hpp"

namespace ddproxy::model {
namespace {

class WholeStepBuilder : AllReduceBuilder {
 public:
  WholeStepBuilder(BackwardPass const& pass, Strategy const& strategy)
      : AllReduceBuilder(pass, strategy.ddp), strategy_(strategy) {
    parameters_ = kept(BufferKind::parameter, Content::parameter);
    add_gradients(!updates());
    if (updates()) {
      moments_[0] = kept(BufferKind::optimizer_state, Content::optimizer_state);
      moments_[1] = kept(BufferKind::optimizer_state, Content::optimizer_state);
    }
    if (strategy.clipped) norm_ = builder_.buffer({.kind = BufferKind::scalar, .elements = norm_elements});
    for (Bucket const& bucket : ddp_.plan) runs_.push_back(bucket.slice());
    if (runs_.empty()) runs_.push_back(all_);
  }

  RankGraphs build(ForwardPass const& forward, std::int64_t tokens, std::size_t ranks) {
    const std::vector<Task> tasks =
        micro_batch(builder_, forward, pass_.gradients, parameters_, tokens, strategy_.checkpoint);
    for (int m = 0; m < strategy_.micro_batches; ++m) run(tasks, m);
    if (norm_) add_squares();
    for (const Slice bucket : runs_) {
      if (updates())
        update(bucket);
      else if (norm_)
        clip(bucket);
    }
    return finish({.replicas = {},
                   .micro_batches = strategy_.micro_batches,
                   .clipped = strategy_.clipped,
                   .updated = updates()},
                  ranks);
  }

 private:
  bool updates() const { return strategy_.optimizer != Optimizer::none; }

  /// Adds a buffer with one element for each parameter. It keeps its content from step to step.
  BufferId kept(BufferKind kind, Content content) {
    const BufferState state{content, all_};
    return builder_.buffer({.kind = kind, .elements = all_.count, .at_entry = state, .at_exit = state});
  }

  // ---- micro-batches

  void run(std::vector<Task> const& tasks, int m) {
    const bool synced = strategy_.sync == Sync::each || m + 1 == strategy_.micro_batches;
    auto before = std::exchange(last_reduced_, std::nullopt);
    restart();
    next_bucket_ = 0;
    for (Task task : tasks) {
      std::get<Compute>(task.work).micro_batch = m;
      if (before) task.after = {*before};
      before.reset();
      if (std::get<Compute>(task.work).phase == Phase::backward)
        reduce_after(backward(std::move(task), m == 0, synced), synced);
      else
        builder_.task(std::move(task));
    }
    if (synced) end_of_backward();
  }

  /// Adds the all-reduces of the buckets that `task`, the last task of an operator, has completed.
  void reduce_after(TaskId task, bool synced) {
    last_compute_ = task;
    if (!synced || !ddp_.overlapped) return;
    while (next_bucket_ < ddp_.plan.size() && is_complete(ddp_.plan[next_bucket_])) reduce_next({});
  }

  void end_of_backward() {
    if (ddp_.plan.empty()) return;
    while (next_bucket_ < runs_.size()) reduce_next({last_compute_});
    for (const Slice bucket : runs_) copy_out(bucket);
  }

  void reduce_next(std::vector<TaskId> const& after) {
    last_reduced_ = all_reduce(runs_[next_bucket_++], after);
  }

  // ---- after the micro-batches

  Access norm(AccessMode mode) const { return access(*norm_, {0, norm_elements}, mode, Content::norm); }

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

  Strategy const& strategy_;
  BufferId parameters_;
  BufferId moments_[2] = {};
  std::optional<BufferId> norm_;
  std::vector<Slice> runs_;  // [bucket]; one slice with the whole model if there is no plan
  std::size_t next_bucket_ = 0;
  TaskId last_compute_{};
  std::optional<TaskId> last_reduced_;  // the last all-reduce of the current micro-batch
};

}  // namespace

/// Builds the step of the row `none` of shard_table.inc: a step without sharding.
RankGraphs unsharded_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                          Strategy const& strategy, std::size_t ranks, RankClasses) {
  return WholeStepBuilder(pass, strategy).build(forward, tokens, ranks);
}

RankGraphs whole_step(BackwardPass const& pass, ForwardPass const& forward, std::int64_t tokens,
                      Strategy const& strategy, std::size_t ranks, RankClasses classes) {
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
  return strategy.sharding.way().build(pass, forward, tokens, strategy, ranks, classes);
}

}  // namespace ddproxy::model
