// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "layers.hpp"

namespace ddproxy::model {
namespace {

/// One stage of the pipeline. Each direction between two stages has its own communicator: 1 + s for transfers
/// from stage s to stage s + 1, and `stages` + s for transfers from stage s + 1 to stage s. In communicator 0
/// each rank is in a group of its own.
class Stage {
 public:
  Stage(std::size_t rank, std::size_t stages, int micro_batches, bool one_lane)
      : rank_(rank),
        stages_(stages),
        micro_batches_(micro_batches),
        one_lane_(one_lane),
        in_flight_(std::min(static_cast<int>(stages - rank), micro_batches)) {
    const BufferState held{Content::parameter, {rank, 1}};
    parameter_ =
        builder_.buffer({.kind = BufferKind::parameter, .elements = 1, .at_entry = held, .at_exit = held});
    gradient_ = builder_.buffer({.kind = BufferKind::gradient, .elements = 1});
    for (int s = 0; s < in_flight_; ++s) {
      for (auto* slots : {&inputs_, &outputs_, &from_above_, &to_below_}) {
        slots->push_back(builder_.buffer({.kind = BufferKind::activation, .elements = 1}));
      }
    }
  }

  StepGraph build() {
    for (int m = 0; m < in_flight_; ++m) forward(m);
    for (int m = in_flight_; m < micro_batches_; ++m) {
      backward(m - in_flight_);
      forward(m);
    }
    for (int m = micro_batches_ - in_flight_; m < micro_batches_; ++m) backward(m);
    builder_.task({.work = Compute{{}, Phase::update},
                   .accesses = {{gradient_, {0, 1}, AccessMode::read, Content::gradient, rank_},
                                {parameter_, {0, 1}, AccessMode::modify, Content::parameter, rank_}}});
    return builder_.finish({world, micro_batches_, {{{rank_, 1}, {OperatorId{rank_}}}}, false, true});
  }

 private:
  bool is_first() const { return rank_ == 0; }
  bool is_last() const { return rank_ + 1 == stages_; }

  Access activation(std::vector<BufferId> const& slots, int m, std::size_t op, AccessMode mode,
                    bool last = false) const {
    return {.buffer = slots[static_cast<std::size_t>(m % in_flight_)],
            .slice = {0, 1},
            .mode = mode,
            .content = Content::activation,
            .model = op,
            .last_use = last};
  }

  void transfer(Verb verb, std::size_t communicator, Access const& access) {
    const std::size_t peer = (verb == Verb::send) == (communicator < stages_) ? 1 : 0;
    builder_.task(
        {.work = Collective{.verb = verb, .communicator = CommunicatorId{communicator}, .root_or_peer = peer},
         .accesses = {access},
         .lane = {LaneKind::communication, one_lane_ ? 0 : communicator}});
  }

  void forward(int m) {
    std::vector<Access> accesses{{parameter_, {0, 1}, AccessMode::read, Content::parameter, rank_},
                                 activation(outputs_, m, rank_, AccessMode::assign)};
    if (!is_first()) {
      transfer(Verb::receive, rank_, activation(inputs_, m, rank_ - 1, AccessMode::assign));
      accesses.push_back(activation(inputs_, m, rank_ - 1, AccessMode::read));
    }
    builder_.task({.work = Compute{OperatorId{rank_}, Phase::forward, m}, .accesses = accesses});
    if (!is_last()) transfer(Verb::send, 1 + rank_, activation(outputs_, m, rank_, AccessMode::read));
  }

  void backward(int m) {
    std::vector<Access> accesses{
        {parameter_, {0, 1}, AccessMode::read, Content::parameter, rank_},
        {gradient_, {0, 1}, m == 0 ? AccessMode::assign : AccessMode::contribute, Content::gradient, rank_},
        activation(outputs_, m, rank_, AccessMode::read, true),
        activation(to_below_, m, stages_ + rank_, AccessMode::assign)};
    if (!is_first()) accesses.push_back(activation(inputs_, m, rank_ - 1, AccessMode::read, true));
    if (!is_last()) {
      transfer(Verb::receive, stages_ + rank_,
               activation(from_above_, m, stages_ + rank_ + 1, AccessMode::assign));
      accesses.push_back(activation(from_above_, m, stages_ + rank_ + 1, AccessMode::read, true));
    }
    builder_.task({.work = Compute{OperatorId{rank_}, Phase::backward, m}, .accesses = accesses});
    if (!is_first())
      transfer(Verb::send, stages_ + rank_ - 1,
               activation(to_below_, m, stages_ + rank_, AccessMode::read, true));
  }

  std::size_t rank_, stages_;
  int micro_batches_;
  bool one_lane_;
  int in_flight_;  // forward passes that run before the first backward pass
  GraphBuilder builder_;
  BufferId parameter_, gradient_;
  // [slot] Micro-batch m uses the slot m % in_flight_. from_above_ has gradients of outputs_, which come from
  // the next stage. to_below_ has gradients of inputs_, which go to the previous stage.
  std::vector<BufferId> inputs_, outputs_, from_above_, to_below_;
};

}  // namespace

RankGraphs pipeline_step(std::size_t stages, int micro_batches, bool one_lane) {
  RankGraphs step;
  step.communicators.resize(2 * stages - 1);
  for (std::size_t rank = 0; rank < stages; ++rank) {
    step.communicators[0].groups.push_back({rank});
    step.classes.push_back({Stage(rank, stages, micro_batches, one_lane).build(), {rank}});
  }
  for (std::size_t link = 0; link + 1 < stages; ++link) {
    step.communicators[1 + link].groups = {{link, link + 1}};
    step.communicators[stages + link].groups = {{link, link + 1}};
  }
  return step;
}

}  // namespace ddproxy::model
