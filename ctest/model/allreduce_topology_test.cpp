// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/allreduce_topology.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include "model/cost/csv.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

constexpr Link nvlink{2e-6, 200e9};
constexpr Link fabric{5e-6, 25e9};

/// Returns a table for `ranks` ranks in which x bytes take seconds(x).
RankedTable made_by(std::function<double(double)> const& seconds, int ranks) {
  RankedTable table{ranks, {}};
  for (double x = 64; x < 5e9; x *= 4) table.points.push_back({static_cast<std::int64_t>(x), seconds(x)});
  return table;
}

TEST(RanksText, UsesTheSingularForOneRank) {
  EXPECT_EQ(ranks_text(1), "1 rank");
  EXPECT_EQ(ranks_text(2), "2 ranks");
}

TEST(Topology, RingTimeMatchesHandCalculation) {
  // 4 ranks: 6 hops, and 1.5 times the bytes.
  EXPECT_DOUBLE_EQ(ring_seconds(4, {1e-6, 1e9}, 2e9), 6e-6 + 3);
  EXPECT_EQ(ring_seconds(1, nvlink, 1e9), 0);
}

TEST(Topology, TreeTimeMatchesHandCalculation) {
  // 5 ranks: a tree of depth 3, up and down.
  EXPECT_DOUBLE_EQ(tree_seconds(5, {1e-6, 1e9}, 2e9), 6e-6 + 4);
  EXPECT_EQ(tree_seconds(1, nvlink, 1e9), 0);
}

TEST(Topology, OneNodeUsesTheFasterOfRingAndTree) {
  EXPECT_EQ(topology_seconds({16, 16}, nvlink, fabric, 8), tree_seconds(16, nvlink, 8));
  EXPECT_EQ(topology_seconds({16, 16}, nvlink, fabric, 1e9), ring_seconds(16, nvlink, 1e9));
}

TEST(Topology, SeveralNodesAreHierarchical) {
  EXPECT_DOUBLE_EQ(topology_seconds({32, 8}, nvlink, fabric, 1e9),
                   ring_seconds(8, nvlink, 1e9) + ring_seconds(4, fabric, 1e9));
  EXPECT_DOUBLE_EQ(topology_seconds({512, 8}, nvlink, fabric, 8),
                   tree_seconds(8, nvlink, 8) + tree_seconds(64, fabric, 8));
}

TEST(Topology, AMeasuredTableIsUsedUnchanged) {
  const RankedTable table{8, read_allreduce(published("allreduce-8xa100-1node.csv"))};
  const RankedCost cost = cost_for_ranks({&table, 1}, place(8, 8));
  EXPECT_TRUE(cost.measured);
  EXPECT_TRUE(cost.warnings.empty());
  EXPECT_EQ(cost.cost(1 << 20), TableCost(table.points)(1 << 20));
}

TEST(Topology, LargeMessagesScaleLikeARingAndSmallMessagesLikeATree) {
  const RankedTable table = made_by([](double x) { return topology_seconds({4, 16}, nvlink, fabric, x); }, 4);
  const RankedCost cost = cost_for_ranks({&table, 1}, place(16, 16));
  EXPECT_FALSE(cost.measured);
  EXPECT_EQ(cost.based_on, 4);
  ASSERT_EQ(cost.warnings.size(), 1U);
  EXPECT_NEAR(cost.cost(1 << 30) / ring_seconds(16, nvlink, 1 << 30), 1, 0.02);
  EXPECT_NEAR(cost.cost(64) / tree_seconds(16, nvlink, 64), 1, 0.05);
}

TEST(Topology, TheNetworkIsDerivedFromTablesOfOneAndTwoNodes) {
  const RankedTable tables[] = {made_by(
                                    [](double x) {
                                      return topology_seconds({8, 8}, nvlink, fabric, x);
                                    },
                                    8),
                                made_by(
                                    [](double x) {
                                      return topology_seconds({16, 8}, nvlink, fabric, x);
                                    },
                                    16)};
  for (const int ranks : {32, 64, 512}) {
    const RankedCost cost = cost_for_ranks(tables, place(ranks, 8));
    EXPECT_EQ(cost.based_on, 16);
    for (const double x : {1e8, 1e9}) {
      const double exact = topology_seconds({ranks, 8}, nvlink, fabric, x);
      EXPECT_NEAR(cost.cost(static_cast<std::int64_t>(x)) / exact, 1, 0.15)
          << ranks << " ranks, " << x << " bytes";
    }
  }
}

TEST(Topology, ASlowLinkInsideANodeIsNotTakenForTheNetwork) {
  const Link slow_inside{4e-6, 30e9};
  const RankedTable tables[] = {made_by(
                                    [&](double x) {
                                      return topology_seconds({8, 8}, slow_inside, fabric, x);
                                    },
                                    8),
                                made_by(
                                    [&](double x) {
                                      return topology_seconds({16, 8}, slow_inside, fabric, x);
                                    },
                                    16)};
  const RankedCost cost = cost_for_ranks(tables, place(512, 8));
  for (const double x : {64.0, 1e9}) {
    const double exact = topology_seconds({512, 8}, slow_inside, fabric, x);
    EXPECT_NEAR(cost.cost(static_cast<std::int64_t>(x)) / exact, 1, 0.03) << x << " bytes";
  }
}

TEST(Topology, TheTimeOfAStatedNetworkIsAddedToTheTableOfANode) {
  const RankedTable table = made_by([](double x) { return topology_seconds({8, 8}, nvlink, fabric, x); }, 8);
  const RankedCost cost = cost_for_ranks({&table, 1}, place(32, 8), fabric);
  const std::int64_t x = 1 << 28;
  EXPECT_NEAR(cost.cost(x), TableCost(table.points)(x) + ring_seconds(4, fabric, static_cast<double>(x)),
              1e-12);
  EXPECT_EQ(cost.warnings.size(), 1U);
}

TEST(Topology, RefusesSeveralNodesIfOnlyOneNodeWasMeasured) {
  const RankedTable table{8, read_allreduce(published("allreduce-8xa100-1node.csv"))};
  try {
    cost_for_ranks({&table, 1}, place(64, 8));
    FAIL();
  } catch (std::invalid_argument const& error) {
    EXPECT_NE(std::string(error.what()).find("8 nodes"), std::string::npos) << error.what();
  }
}

TEST(Topology, RefusesInvalidPlacesAndTables) {
  EXPECT_THROW(place(12, 8), std::invalid_argument);
  EXPECT_THROW(place(0, 8), std::invalid_argument);
  EXPECT_THROW(place(8, 0), std::invalid_argument);
  EXPECT_EQ(place(4, 8).nodes(), 1);
  EXPECT_EQ(place(24, 8).nodes(), 3);
  EXPECT_THROW(cost_for_ranks({}, place(8, 8)), std::invalid_argument);
  const RankedTable single = made_by([](double x) { return 1e-6 + x / 1e9; }, 1);
  EXPECT_THROW(cost_for_ranks({&single, 1}, place(8, 8)), std::invalid_argument);
}

TEST(Topology, ATableOfOneNodeMayHaveZeroLatency) {
  const RankedTable tables[] = {made_by([](double x) { return x / 1e11; }, 8),
                                made_by(
                                    [](double x) {
                                      return topology_seconds({16, 8}, nvlink, fabric, x);
                                    },
                                    16)};
  EXPECT_EQ(cost_for_ranks(tables, place(64, 8)).warnings.size(), 1U);
}

TEST(Topology, WarnsAboutAStatedNetworkAndAnExtrapolatedNode) {
  const RankedTable table = made_by([](double x) { return topology_seconds({4, 8}, nvlink, fabric, x); }, 4);
  const RankedCost cost = cost_for_ranks({&table, 1}, place(32, 8), fabric);
  EXPECT_EQ(cost.warnings.size(), 2U);
  EXPECT_TRUE(cost.uses_statement);
}

TEST(Topology, DerivesNoLinksFromATableOfOneRank) {
  const auto law = [](double x) { return 10e-6 + x / 1e9; };
  const RankedTable tables[] = {made_by(law, 1), made_by(law, 8)};
  EXPECT_LT(cost_for_ranks(tables, place(2, 8)).cost(1 << 20), law(1 << 20));
  EXPECT_THROW(cost_for_ranks({tables, 1}, place(2, 8)), std::invalid_argument);
}

TEST(Topology, WarnsIfThereIsNoTableOfOneNode) {
  const RankedTable table{16, read_allreduce(published("allreduce-16xa100-slingshot.csv"))};
  const RankedCost cost = cost_for_ranks({&table, 1}, place(64, 4));
  EXPECT_EQ(cost.warnings.size(), 2U);
  EXPECT_GT(cost.cost(1 << 28), TableCost(table.points)(1 << 28));
  EXPECT_THROW(cost_for_ranks({&table, 1}, place(4, 4)), std::invalid_argument);
  const RankedTable with_one_rank[] = {table, made_by([](double x) { return 1e-6 + x / 1e9; }, 1)};
  EXPECT_EQ(cost_for_ranks(with_one_rank, place(64, 4)).warnings.size(), 2U);
}

TEST(Topology, RescaledMultipliesLatencyAndBandwidth) {
  const TableCost cost(made_by([](double x) { return 10e-6 + x / 1e9; }, 4).points);
  const AlphaBeta fit = fit_alpha_beta(cost.table());
  const AllreduceCost faster = rescaled(cost, fit, 0.5, 2);
  EXPECT_NEAR(faster(64) / cost(64), 0.5, 0.001);
  EXPECT_NEAR(faster(1 << 30) / cost(1 << 30), 0.5, 0.001);
  const AllreduceCost same_latency = rescaled(cost, fit, 1, 2);
  EXPECT_NEAR(same_latency(64) / cost(64), 1, 0.01);
  EXPECT_THROW(rescaled(cost, fit, 0, 1), std::invalid_argument);
}

/// Returns the relative error of a(x) for 4 ranks at each size, predicted from the rows for 2 ranks of the
/// same file.
std::vector<double> errors_from_two_to_four(std::string const& file) {
  const RankedTable two{2, read_allreduce(published(file), 2)};
  const RankedCost cost = cost_for_ranks({&two, 1}, place(4, 4));
  std::vector<double> errors;
  for (CostPoint const& point : read_allreduce(published(file), 4)) {
    errors.push_back(cost.cost(point.bytes) / point.seconds - 1);
    std::printf("%s, 4 ranks from 2, %.0f MiB: error %+.0f %%\n", file.c_str(),
                static_cast<double>(point.bytes) / bytes_per_mib, 100 * errors.back());
  }
  return errors;
}

TEST(Topology, PredictsLargeMessagesOnFourGpusFromTwoGpus) {
  // The time to launch a call does not grow with the ranks. One table cannot separate this time from the time
  // of the hops, so the predicted times of small messages are too long.
  const auto errors = errors_from_two_to_four("allreduce-2gpu-pcie.csv");
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_GT(errors[0], 0);
  EXPECT_LT(std::abs(errors[1]), 0.2);
  EXPECT_LT(std::abs(errors[2]), 0.03);
  EXPECT_LT(std::abs(errors[3]), 0.03);
}

TEST(Topology, PredictedTimesOfFourProcessesOnOneProcessorAreTooShort) {
  // The ranks share the bandwidth of the memory. No model of links includes that, as docs/model.md says.
  for (const double error : errors_from_two_to_four("allreduce-gloo-cpu.csv")) EXPECT_LT(error, 0);
}

}  // namespace
}  // namespace ddproxy::model
