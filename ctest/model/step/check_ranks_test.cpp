// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// Plants faults between ranks, and at the end of the step, in the steps that ddp() builds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "model/step/check/check.hpp"
#include "model/step/strategies/ddp.hpp"
#include "violations.hpp"

namespace ddproxy::model {
namespace {

class CheckRanks : public testing::Test {
 protected:
  /// Returns the step of two ranks that reduces each gradient by itself, after the backward pass.
  RankGraphs step() const {
    std::vector<std::int64_t> bytes;
    for (auto const& gradient : pass_.gradients) bytes.push_back(gradient.numel * 4);
    return ddp(pass_, {per_tensor_plan(bytes), false}, 2);
  }

  /// Returns step() with a class for each rank, after `change` has changed the graph of the second class.
  RankGraphs with_other(std::function<void(StepGraph&)> const& change) const {
    RankGraphs two = split(step());
    change(two.classes[1].graph);
    return two;
  }

  const BackwardPass pass_ = backward_pass(find_preset("tiny"));
};

/// Returns the all-reduces of a graph, in the order of issue.
std::vector<Task*> all_reduces(StepGraph& graph) {
  std::vector<Task*> tasks;
  for (Task& task : graph.tasks)
    if (std::holds_alternative<Collective>(task.work)) tasks.push_back(&task);
  return tasks;
}

/// Returns the first access of a graph. The first tasks may have none.
Access& first_access(StepGraph& graph) {
  return std::ranges::find_if_not(graph.tasks, &std::vector<Access>::empty, &Task::accesses)->accesses[0];
}

TEST_F(CheckRanks, AcceptsTheStepsWithoutPlantedFaults) {
  EXPECT_EQ(text(check(step())), "");
  EXPECT_EQ(text(check(with_other([](StepGraph&) {}))), "");
}

// The ranks do not differ in sizes, verbs or waits. Only the contents show that a collective adds gradients
// of different tensors.
TEST_F(CheckRanks, FindsEquallyLargeBucketsInDifferentOrder) {
  int planted = 0;
  const auto wrong = with_other([&](StepGraph& graph) {
    const auto tasks = all_reduces(graph);
    for (std::size_t i = 0; i + 1 < tasks.size() && planted == 0; ++i) {
      auto &one = tasks[i]->accesses, &other = tasks[i + 1]->accesses;
      if (one[0].slice.count != other[0].slice.count) continue;
      std::swap(one, other);
      ++planted;
    }
  });
  ASSERT_EQ(planted, 1) << "the model has no two neighbouring gradients of the same size";
  const auto violations = check(wrong);
  EXPECT_TRUE(found_only(violations, Rule::right_content)) << text(violations);
  EXPECT_NE(text(violations).find("adds a gradient to a gradient of other elements of the model"),
            std::string::npos)
      << text(violations);
}

TEST_F(CheckRanks, FindsARankWithADifferentWireFormat) {
  const auto violations = check(with_other(
      [](StepGraph& graph) { std::get<Collective>(all_reduces(graph)[3]->work).wire = DataType::bf16; }));
  EXPECT_TRUE(found_only(violations, Rule::same_order)) << text(violations);
}

TEST_F(CheckRanks, FindsARankWithADifferentReduction) {
  const auto violations = check(with_other([](StepGraph& graph) {
    std::get<Collective>(all_reduces(graph)[3]->work).reduction = Reduction::sum;
  }));
  EXPECT_TRUE(found_only(violations, Rule::same_order)) << text(violations);
}

TEST_F(CheckRanks, FindsARankWithoutAClass) {
  RankGraphs wrong = step();
  wrong.classes[0].ranks = {0};
  EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
  wrong.classes[0].ranks = {1};
  EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
}

TEST_F(CheckRanks, FindsARankInTwoClasses) {
  RankGraphs wrong = split(step());
  wrong.classes[0].ranks = {0, 1};
  EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
}

TEST_F(CheckRanks, FindsARankThatIsTwiceInACommunicator) {
  RankGraphs wrong = step();
  wrong.communicators[0].groups = {{0, 1}, {1, 0}};
  EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
}

TEST_F(CheckRanks, FindsAGapInTheRankNumbers) {
  RankGraphs wrong = step();
  wrong.classes[0].ranks = {0, 2};
  wrong.communicators[0].groups = {{0, 2}};
  EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
}

TEST_F(CheckRanks, FindsCommunicatorsThatDoNotExistOrLackARank) {
  const auto expect_found = [&](std::function<void(StepGraph&)> const& change) {
    RankGraphs wrong = step();
    wrong.communicators.push_back({{{1}}});
    change(wrong.classes[0].graph);
    EXPECT_TRUE(found_only(check(wrong), Rule::well_formed)) << text(check(wrong));
  };
  for (const CommunicatorId id : {CommunicatorId{1}, CommunicatorId{7}}) {
    expect_found([&](StepGraph& graph) { graph.expected.replicas = id; });
    expect_found([&](StepGraph& graph) { graph.buffers[0].at_exit.shard = id; });
    expect_found([&](StepGraph& graph) { first_access(graph).shard = id; });
    expect_found([&](StepGraph& graph) { first_access(graph).part = id; });
  }
}

// ---- the state at the end of the step

TEST_F(CheckRanks, FindsAStepThatReducesNothing) {
  RankGraphs nothing = ddp(pass_, {}, 2);
  for (Buffer& buffer : nothing.classes[0].graph.buffers) buffer.at_exit = {};
  EXPECT_TRUE(found_only(check(nothing), Rule::contributes_all)) << text(check(nothing));
  nothing.classes[0].graph.expected.updated = true;  // the step has no update, either
  EXPECT_TRUE(found_only(check(nothing), Rule::contributes_all)) << text(check(nothing));
}

TEST_F(CheckRanks, FindsAStepThatKeepsOnlyAPartOfTheGradients) {
  RankGraphs wrong = step();
  StepGraph& graph = wrong.classes[0].graph;
  graph.buffers[0].at_exit.model.count -= graph.expected.gradients.back().model.count;
  EXPECT_TRUE(found(check(wrong), Rule::contributes_all)) << text(check(wrong));
}

}  // namespace
}  // namespace ddproxy::model
