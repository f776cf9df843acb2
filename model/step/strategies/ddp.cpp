// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/strategies/ddp.hpp"

#include <numeric>
#include <optional>

#include "model/step/graph_builder.hpp"
#include "model/step/strategies/tied_head.hpp"

namespace ddproxy::model {
namespace {

constexpr CommunicatorId world{0};

class DdpBuilder {
 public:
  DdpBuilder(BackwardPass const& pass, Ddp const& strategy)
      : pass_(pass), strategy_(strategy), layout_(pass), head_(tied_head(pass)) {
    const Slice all{0, layout_.elements()};
    const BufferState reduced{Content::gradient, all};
    const bool copied = strategy.copies != CopyMode::none;
    const bool stays = strategy.copies == CopyMode::in;  // the results are left in the buckets
    gradients_ = builder_.buffer(
        {.kind = BufferKind::gradient, .elements = all.count, .at_exit = stays ? BufferState{} : reduced});
    buckets_ = copied ? builder_.buffer({.kind = BufferKind::bucket,
                                         .elements = all.count,
                                         .at_exit = stays ? reduced : BufferState{}})
                      : gradients_;
  }

  RankGraphs build(std::size_t ranks) {
    std::size_t next = 0;  // the next bucket to reduce
    for (std::size_t o = 0; o < pass_.operations.size(); ++o) {
      backward(o);
      while (strategy_.overlapped && next < strategy_.plan.size() && closes(strategy_.plan[next]) == o) {
        all_reduce(strategy_.plan[next++], {});
      }
    }
    const TaskId waited = builder_.task({.work = HostWait{}, .accesses = {}, .after = {last_compute_}});
    for (; next < strategy_.plan.size(); ++next) all_reduce(strategy_.plan[next], {waited});
    if (strategy_.copies == CopyMode::in_out) {
      for (Bucket const& bucket : strategy_.plan) copy(slice_of(bucket, layout_), buckets_, gradients_);
    }
    std::vector<std::size_t> group(ranks);
    std::iota(group.begin(), group.end(), std::size_t{0});
    return {{{{group}}},
            {{builder_.finish({.replicas = world, .gradients = expected_gradients(pass_)}), group}}};
  }

 private:
  std::size_t closes(Bucket const& bucket) const { return pass_.gradients[bucket.last].operation; }
  Access access(BufferId buffer, Slice slice, AccessMode mode) const {
    return {
        .buffer = buffer, .slice = slice, .mode = mode, .content = Content::gradient, .model = slice.offset};
  }

  void backward(std::size_t o) {
    std::vector<Access> accesses;
    while (next_gradient_ < pass_.gradients.size() && pass_.gradients[next_gradient_].operation == o) {
      const bool second = head_ && next_gradient_ + 1 == pass_.gradients.size();
      accesses.push_back(access(gradients_, layout_[next_gradient_++],
                                second ? AccessMode::contribute : AccessMode::assign));
    }
    const std::vector<Access> complete = accesses;
    if (o == head_)
      accesses.push_back(access(gradients_, layout_[pass_.gradients.size() - 1], AccessMode::assign));
    last_compute_ =
        builder_.task({.work = Compute{OperatorId{o}, Phase::backward}, .accesses = std::move(accesses)});
    if (strategy_.copies == CopyMode::none) return;
    for (Access const& each : complete) last_compute_ = copy(each.slice, gradients_, buckets_);
  }

  TaskId copy(Slice slice, BufferId from, BufferId to) {
    const CopyKind kind = to == gradients_ ? CopyKind::out_of_bucket : CopyKind::into_bucket;
    return builder_.task(
        {.work = Copy{kind},
         .accesses = {access(from, slice, AccessMode::read), access(to, slice, AccessMode::assign)}});
  }

  void all_reduce(Bucket const& bucket, std::vector<TaskId> const& after) {
    builder_.task(
        {.work = Collective{.verb = Verb::all_reduce, .communicator = world, .wire = strategy_.wire},
         .accesses = {access(buckets_, slice_of(bucket, layout_), AccessMode::modify)},
         .lane = {LaneKind::communication, 0},
         .after = after});
  }

  BackwardPass const& pass_;
  Ddp const& strategy_;
  TensorLayout layout_;
  std::optional<std::size_t> head_;
  GraphBuilder builder_;
  BufferId gradients_, buckets_;
  std::size_t next_gradient_ = 0;
  TaskId last_compute_{};
};

}  // namespace

RankGraphs ddp(BackwardPass const& pass, Ddp const& strategy, std::size_t ranks) {
  return DdpBuilder(pass, strategy).build(ranks);
}

}  // namespace ddproxy::model
