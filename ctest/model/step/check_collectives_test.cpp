// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Plants faults into single collectives: into their padding, roots, peers and lanes.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/step/check/check.hpp"
#include "model/step/strategies/ddp.hpp"
#include "model/step/strategies/whole_step.hpp"
#include "model/transformer/presets.hpp"
#include "steps.hpp"
#include "violations.hpp"

namespace ddproxy::model {
namespace {

const Layers six{{5, 8, 3, 7, 4, 6}};

/// Returns the step after `change` has changed all collectives of `verb` on all ranks.
RankGraphs with_each(RankGraphs step, Verb verb, std::function<void(Task&, Collective&)> const& change) {
  return changed(std::move(step), [&](StepGraph& graph) {
    for (Task& task : graph.tasks)
      if (auto* one = std::get_if<Collective>(&task.work); one && one->verb == verb) change(task, *one);
  });
}

/// Checks that all violations of a step are of this rule, and that the first message has this part.
void expect_found(RankGraphs const& step, Rule rule, std::string const& part) {
  const auto violations = check(step);
  EXPECT_TRUE(found_only(violations, rule)) << text(violations);
  EXPECT_NE(text(violations).find(part), std::string::npos) << text(violations);
}

void declare_all(Task& task, Collective&) {
  for (Access& access : task.accesses) access.padding = access.slice.count;
}

Plan each_tensor(BackwardPass const& pass) {
  std::vector<std::int64_t> bytes;
  for (auto const& gradient : pass.gradients) bytes.push_back(gradient.numel * 4);
  return per_tensor_plan(bytes);
}

// ---- padding

TEST(CheckCollectives, FindsAnAllReduceThatDeclaresAllGradientsAsPadding) {
  expect_found(with_each(ddp_step(six, {}), Verb::all_reduce, declare_all), Rule::right_content,
               "rank 0: task 8, all_reduce of elements 0 to 9 of buffer 0, on communicator 0: declares "
               "elements 0 to 9 of buffer 0 as padding, but they contain a gradient");
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  expect_found(with_each(ddp(pass, {each_tensor(pass)}, 2), Verb::all_reduce, declare_all),
               Rule::right_content, "as padding, but they contain a gradient");
}

TEST(CheckCollectives, FindsAnAllReduceThatDeclaresOneGradientAsPadding) {
  const auto one_more = [](Task& task, Collective&) { ++task.accesses[0].padding; };
  expect_found(with_each(ddp_step(six, {}), Verb::all_reduce, one_more), Rule::right_content,
               "declares elements 9 to 9 of buffer 0 as padding, but they contain a gradient");
}

TEST(CheckCollectives, FindsAReduceScatterThatDeclaresGradientsAsPadding) {
  const RankGraphs steps[] = {ddp_step(six, {.zero = Zero::stage1, .clipped = true}),
                              ddp_step(six, {.micro_batches = 2, .zero = Zero::stage2}),
                              fsdp_step(six, {.micro_batches = 2})};
  const auto one_more = [](Task& task, Collective&) { ++task.accesses[0].padding; };
  const auto of_the_result = [](Task& task, Collective&) { task.accesses[1].padding = 1; };
  for (RankGraphs const& step : steps) {
    for (auto const& change : {std::function(declare_all), std::function(one_more)})
      EXPECT_TRUE(found(check(with_each(step, Verb::reduce_scatter, change)), Rule::right_content))
          << &step - steps;
    EXPECT_TRUE(found(check(with_each(step, Verb::reduce_scatter, of_the_result)), Rule::right_content))
        << &step - steps;
  }
}

TEST(CheckCollectives, FindsAnAllGatherThatDeclaresParametersAsPadding) {
  const auto one_more = [](Task& task, Collective&) { ++task.accesses[1].padding; };
  for (RankGraphs const& step : {ddp_step(six, {.zero = Zero::stage1}), fsdp_step(six, {})})
    for (auto const& change : {std::function(declare_all), std::function(one_more)})
      EXPECT_TRUE(found(check(with_each(step, Verb::all_gather, change)), Rule::right_content));
  expect_found(with_each(ddp_step(six, {.zero = Zero::stage1}), Verb::all_gather, one_more),
               Rule::right_content, "as padding, but they contain a parameter");
}

TEST(CheckCollectives, FindsANormThatIsDeclaredAsPadding) {
  const RankGraphs step = ddp_step(six, {.zero = Zero::stage1, .clipped = true});
  expect_found(with_each(step, Verb::all_reduce, declare_all), Rule::right_content,
               "as padding, but they contain a norm");
}

TEST(CheckCollectives, FindsMorePaddingThanElements) {
  const auto too_much = [](Task& task, Collective&) {
    task.accesses[0].padding = task.accesses[0].slice.count + 1;
  };
  expect_found(with_each(ddp_step(six, {}), Verb::all_reduce, too_much), Rule::well_formed,
               "declares 11 elements of buffer 0 as padding, but its slice has only 10");
}

/// Returns the step of two ranks in which the first rank computes no gradients. It declares the elements that
/// it hands to the all-reduces as padding. On this rank these elements are empty, so only the result of the
/// all-reduces shows the fault.
RankGraphs with_an_idle_rank(RankGraphs step) {
  RankGraphs two = split(std::move(step));
  for (Task& task : two.classes[1].graph.tasks) {
    auto const* compute = std::get_if<Compute>(&task.work);
    if (compute && compute->phase == Phase::backward)
      std::erase_if(task.accesses, [](Access const& each) { return each.content == Content::gradient; });
    if (auto* one = std::get_if<Collective>(&task.work); one && one->verb == Verb::all_reduce)
      declare_all(task, *one);
  }
  return two;
}

TEST(CheckCollectives, FindsPaddingInsteadOfGradientsAtTheEndOfTheStep) {
  const BackwardPass pass = backward_pass(find_preset("tiny"));
  expect_found(with_an_idle_rank(ddp(pass, {each_tensor(pass), false}, 2)), Rule::same_state_at_exit,
               "are padding; expected: a gradient of the elements that at_exit names");
}

TEST(CheckCollectives, FindsAnUpdateThatReadsPaddingInsteadOfGradients) {
  expect_found(with_an_idle_rank(ddp_step(six, {})), Rule::right_content,
               "updates parameters whose gradient it does not read");
}

// ---- roots and peers

/// Returns a step with ZeRO-1 on two ranks. A broadcast from each rank distributes the updated parameters.
RankGraphs broadcasts() {
  const Shape shape = find_preset("tiny");
  const BackwardPass pass = backward_pass(shape);
  Strategy step{.ddp = {.plan = each_tensor(pass)}, .optimizer = Optimizer::adamw};
  step.sharding = {.stage = ShardStage::zero1, .update = Verb::broadcast};
  return whole_step(pass, forward_pass(shape), 16, step, 2);
}

void expect_broadcast_found(std::function<void(Task&, Collective&)> const& change, std::string const& part) {
  expect_found(with_each(broadcasts(), Verb::broadcast, change), Rule::well_formed, part);
}

TEST(CheckCollectives, AcceptsBroadcastsAndTransfers) {
  EXPECT_EQ(text(check(broadcasts())), "");
  EXPECT_EQ(text(check(pipeline_step(4, 8))), "");
}

TEST(CheckCollectives, FindsABroadcastWithoutARoot) {
  expect_broadcast_found([](Task&, Collective& one) { one.root_or_peer.reset(); }, "names no root");
}

TEST(CheckCollectives, FindsARootOutsideTheGroup) {
  expect_broadcast_found([](Task&, Collective& one) { one.root_or_peer = 7; },
                         "its root is place 7, but its group has only 2 ranks");
}

TEST(CheckCollectives, FindsARootThatIsNotTheRankThatReads) {
  expect_broadcast_found([](Task&, Collective& one) { one.root_or_peer = 1 - *one.root_or_peer; },
                         "reads, but the root is place 1");
  expect_broadcast_found([](Task& task, Collective&) { task.accesses[0].mode = AccessMode::read; },
                         "rank 0, at place 0 of its group, reads, but the root is place 1");
  expect_broadcast_found([](Task& task, Collective&) { task.accesses[0].mode = AccessMode::assign; },
                         "rank 0, at place 0 of its group, is the root, but does not read");
}

void expect_transfer_found(Verb verb, std::function<void(Task&, Collective&)> const& change,
                           std::string const& part) {
  expect_found(with_each(pipeline_step(4, 8), verb, change), Rule::well_formed, part);
}

TEST(CheckCollectives, FindsATransferWithoutAPeer) {
  for (const Verb verb : {Verb::send, Verb::receive})
    expect_transfer_found(
        verb, [](Task&, Collective& one) { one.root_or_peer.reset(); }, "names no peer");
}

TEST(CheckCollectives, FindsAPeerOutsideTheGroup) {
  for (const Verb verb : {Verb::send, Verb::receive})
    expect_transfer_found(
        verb, [](Task&, Collective& one) { one.root_or_peer = 9; },
        "its peer is place 9, but its group has only 2 ranks");
}

TEST(CheckCollectives, FindsARankThatIsItsOwnPeer) {
  for (const Verb verb : {Verb::send, Verb::receive})
    expect_transfer_found(
        verb, [](Task&, Collective& one) { one.root_or_peer = 1 - *one.root_or_peer; }, "is its own peer");
}

// ---- lanes

TEST(CheckCollectives, FindsACommunicatorOnTwoLanes) {
  const auto step = changed(ddp_step(six, {.bucket = 1}), [](StepGraph& graph) {
    std::size_t turn = 0;
    for (Task& task : graph.tasks)
      if (std::holds_alternative<Collective>(task.work)) task.lane.number = turn++ % 2;
  });
  expect_found(step, Rule::same_order, "uses communicator 0 on another lane than task 7");
}

}  // namespace
}  // namespace ddproxy::model
