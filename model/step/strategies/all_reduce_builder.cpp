// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/all_reduce_builder.hpp"

#include <numeric>
#include <utility>

#include "model/step/strategies/tied_head.hpp"

namespace ddproxy::model {
namespace {

constexpr CommunicatorId world{0};

}  // namespace

AllReduceBuilder::AllReduceBuilder(BackwardPass const& pass, Ddp const& strategy)
    : pass_(pass), ddp_(strategy), all_{0, pass.gradients.elements()}, head_(tied_head(pass)) {}

void AllReduceBuilder::add_gradients(bool remain) {
  const bool copied = ddp_.copies != CopyMode::none;
  const bool in_buckets = ddp_.copies == CopyMode::in;  // the averages are left in the buckets
  const BufferState last = remain ? BufferState{Content::gradient, all_} : BufferState{};
  gradients_ = builder_.buffer(
      {.kind = BufferKind::gradient, .elements = all_.count, .at_exit = in_buckets ? BufferState{} : last});
  buckets_ = copied ? builder_.buffer({.kind = BufferKind::bucket,
                                       .elements = all_.count,
                                       .at_exit = in_buckets ? last : BufferState{}})
                    : gradients_;
  reduced_ = in_buckets ? buckets_ : gradients_;
}

Access AllReduceBuilder::access(BufferId buffer, Slice slice, AccessMode mode, Content content) const {
  return {.buffer = buffer, .slice = slice, .mode = mode, .content = content, .model = slice.offset};
}

Access AllReduceBuilder::gradient(std::size_t number, bool assigns) const {
  return access(gradients_, pass_.gradients[number].slice(),
                assigns ? AccessMode::assign : AccessMode::contribute);
}

TaskId AllReduceBuilder::backward(Task task, bool assigns, bool synced) {
  const std::size_t o = index(std::get<Compute>(task.work).op), first = next_gradient_;
  for (; next_gradient_ < pass_.gradients.size() && pass_.gradients[next_gradient_].operation == o;
       ++next_gradient_) {
    const bool second = head_ && next_gradient_ + 1 == pass_.gradients.size();
    task.accesses.push_back(gradient(next_gradient_, assigns && !second));
  }
  if (o == head_) task.accesses.push_back(gradient(pass_.gradients.size() - 1, assigns));
  TaskId last = builder_.task(std::move(task));
  if (!synced || ddp_.copies == CopyMode::none) return last;
  for (std::size_t g = first; g < next_gradient_; ++g)
    last = copy(CopyKind::into_bucket, pass_.gradients[g].slice(), gradients_, buckets_);
  return last;
}

TaskId AllReduceBuilder::copy(CopyKind kind, Slice slice, BufferId from, BufferId to) {
  return builder_.task(
      {.work = Copy{kind},
       .accesses = {access(from, slice, AccessMode::read), access(to, slice, AccessMode::assign)}});
}

void AllReduceBuilder::copy_out(Slice bucket) {
  if (ddp_.copies == CopyMode::in_out) copy(CopyKind::out_of_bucket, bucket, buckets_, gradients_);
}

TaskId AllReduceBuilder::all_reduce(Slice bucket, std::vector<TaskId> const& after) {
  return builder_.task(
      {.work = Collective{.verb = Verb::all_reduce, .communicator = world, .wire = ddp_.wire},
       .accesses = {access(buckets_, bucket, AccessMode::modify)},
       .lane = {LaneKind::communication, 0},
       .after = after});
}

RankGraphs AllReduceBuilder::finish(Expected expected, std::size_t ranks) {
  expected.replicas = world;
  expected.gradients = expected_gradients(pass_);
  std::vector<std::size_t> group(ranks);
  std::iota(group.begin(), group.end(), std::size_t{0});
  return {{{{group}}}, {{builder_.finish(std::move(expected)), group}}};
}

}  // namespace ddproxy::model
