// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/graph/step_costs.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "costs.hpp"

namespace ddproxy::model {
namespace {

TEST(CostsOfSteps, RatesMatchHandCalculation) {
  const TaskCost compute{1, Resource::compute}, copy_out{1};
  const TaskCost first{1, Resource::link, 0, {0.81, 0.5}}, second{1, Resource::link, 0, {0.64, 0.25}};
  const TaskCost other_link{1, Resource::link, 1, {0.5, 0.4}};
  StepCosts costs{{{compute, first, second, other_link, copy_out}}};
  const auto rates = [&](std::vector<std::size_t> const& active) {
    std::vector<TaskId> ids;
    for (const std::size_t task : active) ids.push_back(TaskId{task});
    std::vector<double> speeds(ids.size());
    costs.rates(0, ids, speeds);
    return speeds;
  };
  using Rates = std::vector<double>;
  EXPECT_EQ(rates({0}), Rates{1});
  EXPECT_EQ(rates({1}), Rates{1});
  EXPECT_EQ(rates({0, 1}), (Rates{0.81, 0.5}));
  EXPECT_EQ(rates({4, 1}), (Rates{1, 1}));
  EXPECT_EQ(rates({1, 2}), (Rates{0.5, 0.5}));
  EXPECT_EQ(rates({1, 3}), (Rates{1, 1}));
  const Rates shared = rates({0, 1, 2});
  EXPECT_DOUBLE_EQ(shared[0], 0.9 * 0.8);
  EXPECT_DOUBLE_EQ(shared[1], 0.25);
  EXPECT_DOUBLE_EQ(shared[2], 0.125);
  const Rates apart = rates({3, 0, 1});
  EXPECT_DOUBLE_EQ(apart[0], 0.4);
  EXPECT_DOUBLE_EQ(apart[1], 0.81 * 0.5);
  EXPECT_DOUBLE_EQ(apart[2], 0.5);
  costs.shared_speed = [](std::size_t n) { return n == 2 ? 0.75 : 0.0; };
  EXPECT_EQ(rates({1, 2}), (Rates{0.75, 0.75}));
}

TEST(CostsOfSteps, AGroupOfTransfersTakesAsLongAsItsLongestTransfer) {
  const auto exchange = [](bool first) {
    GraphBuilder builder;
    const BufferId out = builder.buffer({.kind = BufferKind::activation, .elements = first ? 10U : 30U});
    const BufferId in = builder.buffer({.kind = BufferKind::activation, .elements = first ? 30U : 10U});
    const std::size_t peer = first ? 1 : 0;
    const Collective send{.verb = Verb::send, .communicator = {}, .root_or_peer = peer};
    const Collective receive{.verb = Verb::receive, .communicator = {}, .root_or_peer = peer};
    const Access sent{out, {0, first ? 10U : 30U}, AccessMode::read, Content::activation};
    const Access received{in, {0, first ? 30U : 10U}, AccessMode::assign, Content::activation};
    if (first) {
      builder.task({.work = std::vector{send, receive},
                    .accesses = {sent, received},
                    .lane = {LaneKind::communication, 0}});
    } else {
      builder.task({.work = std::vector{receive, send},
                    .accesses = {received, sent},
                    .lane = {LaneKind::communication, 0}});
    }
    return builder.finish({});
  };
  const RankGraphs step{{{{{0, 1}}}}, {{exchange(true), {0}}, {exchange(false), {1}}}};
  CostModel model = phase_costs({});
  model.collectives.set(Verb::send, [](std::int64_t bytes) { return static_cast<double>(bytes); });
  EXPECT_EQ(seconds_of(step, model), 120);
}

TEST(CostsOfSteps, PrefersTheTableOfTheCommunicatorToTheTableOfTheVerb) {
  CollectiveCosts costs;
  costs.set(Verb::all_reduce, always(1));
  costs.set(Verb::all_reduce, CommunicatorId{2}, always(5));
  costs.set(Verb::reduce_scatter, CommunicatorId{2}, always(3));
  costs.set(Verb::send, CommunicatorId{1}, always(7));
  EXPECT_EQ(costs(Verb::all_reduce, CommunicatorId{0}, 4), 1);
  EXPECT_EQ(costs(Verb::all_reduce, CommunicatorId{2}, 4), 5);
  EXPECT_EQ(costs(Verb::reduce_scatter, CommunicatorId{2}, 4), 3);
  EXPECT_EQ(costs(Verb::receive, CommunicatorId{1}, 4), 7);
  EXPECT_TRUE(costs.warnings().empty());
  EXPECT_EQ(costs(Verb::all_gather, CommunicatorId{2}, 4), 2.5);
  EXPECT_EQ(costs.warnings().size(), 1U);
  EXPECT_THROW(costs(Verb::broadcast, CommunicatorId{0}, 4), std::invalid_argument);
  EXPECT_THROW(costs(Verb::send, CommunicatorId{0}, 4), std::invalid_argument);
  costs.set(Verb::broadcast, always(-1));
  EXPECT_THROW(costs(Verb::broadcast, CommunicatorId{0}, 4), std::invalid_argument);
}

TEST(CostsOfSteps, CollectivesOfOneRankTakeNoTime) {
  const StepGraph graph = compute_and_reduce(CommunicatorId{0});
  const RankGraphs step{{{{{0}}}}, {{graph, {0}}}};
  EXPECT_EQ(seconds_of(step, seconds_by_class({1})), 1);
}

}  // namespace
}  // namespace ddproxy::model
