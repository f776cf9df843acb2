// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/collective_tables.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "model/cost/csv.hpp"

namespace ddproxy::model {
namespace {

constexpr auto measured =
    "verb,ranks,bytes,seconds\n"
    "all_reduce,2,100,2\nall_reduce,2,200,4\nall_reduce,4,100,6\nall_reduce,4,200,12\n"
    "reduce_scatter,2,200,1.5\nreduce_scatter,2,100,0.75\nbroadcast,2,100,1\n";

/// A test with a CSV file. file() writes it, and it is removed after the test.
class CollectivesCsv : public testing::Test {
 protected:
  std::filesystem::path file(std::string const& text) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("ddproxy_collectives_") + test->name() + ".csv");
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string error_of(std::string const& text) {
    try {
      read_collectives(file(text), 2);
    } catch (std::invalid_argument const& error) {
      return error.what();
    }
    return "none";
  }
  std::filesystem::path path_;
};

TEST_F(CollectivesCsv, HasATableForEachVerbAndGroup) {
  const auto tables = read_collectives(file(measured), 8);
  ASSERT_TRUE(tables.find(Verb::all_reduce, {2}));
  EXPECT_NEAR((*tables.find(Verb::all_reduce, {2}))(100), 2, 1e-12);
  EXPECT_NEAR((*tables.find(Verb::all_reduce, {4}))(200), 12, 1e-12);
  EXPECT_NEAR((*tables.find(Verb::reduce_scatter, {2}))(200), 1.5, 1e-12);
  EXPECT_FALSE(tables.find(Verb::reduce_scatter, {4}));
  EXPECT_FALSE(tables.find(Verb::all_reduce, {8}));
}

TEST_F(CollectivesCsv, ASingleSizeMakesNoTable) {
  EXPECT_FALSE(read_collectives(file(measured), 8).source(Verb::broadcast, {2}));
}

TEST_F(CollectivesCsv, AMissingAllGatherCostsHalfAnAllReduce) {
  const auto tables = read_collectives(file(measured), 8);
  const auto own = tables.source(Verb::reduce_scatter, {2});
  const auto half = tables.source(Verb::all_gather, {2});
  ASSERT_TRUE(own && half);
  EXPECT_NEAR((*own)(200), 1.5, 1e-12);
  EXPECT_EQ(own->share, 1);
  EXPECT_NEAR((*half)(200), 2, 1e-12);
  EXPECT_EQ(half->share, 0.5);
  EXPECT_FALSE(tables.source(Verb::send, {2}));
}

TEST_F(CollectivesCsv, ReadsAFileWithoutVerbsAsAllReduces) {
  const auto tables = read_collectives(file("bytes,seconds\n100,2\n200,4\n"), 8);
  ASSERT_TRUE(tables.find(Verb::all_reduce, {8}));
  EXPECT_NEAR((*tables.find(Verb::all_reduce, {8}))(200), 4, 1e-12);
  EXPECT_FALSE(tables.find(Verb::broadcast, {8}));
}

// A time depends on the number of ranks, so the rows must not be used for the groups of a sharded step, which
// may have fewer ranks.
TEST_F(CollectivesCsv, RowsWithoutRanksHoldForTheRanksOfTheCallerOnly) {
  const auto path = file("verb,bytes,seconds\nall_reduce,100,2\nall_reduce,200,4\n");
  const auto of_64 = read_collectives(path, 64);
  EXPECT_TRUE(of_64.find(Verb::all_reduce, {64}));
  EXPECT_FALSE(of_64.find(Verb::all_reduce, {8}));
  EXPECT_FALSE(of_64.source(Verb::reduce_scatter, {8}));
  const auto unknown = read_collectives(path, CollectiveTables::unknown_ranks);
  EXPECT_FALSE(unknown.find(Verb::all_reduce, {64}));
  EXPECT_FALSE(unknown.find(Verb::all_reduce, {CollectiveTables::unknown_ranks}));
}

TEST_F(CollectivesCsv, CanBeReadAsAnAllReduceTable) {
  const auto points = read_allreduce(file(measured), 2);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].seconds, 4);
  EXPECT_EQ(allreduce_ranks(path_), (std::vector<int>{2, 4}));
  EXPECT_THROW(read_allreduce(file("verb,bytes,seconds\nbroadcast,1,1\n")), std::invalid_argument);
  EXPECT_THROW(read_allreduce(file("verb,ranks,bytes,seconds\nbroadcast,2,1,1\n"), 2), std::invalid_argument);
}

constexpr auto of_nodes =
    "verb,ranks,bytes,seconds,nodes\n"
    "all_reduce,4,100,1,1\nall_reduce,4,200,2,1\nall_reduce,4,100,5,4\nall_reduce,4,200,10,4\n"
    "all_gather,4,100,7,0\nall_gather,4,200,14,0\nall_gather,4,100,3,2\nall_gather,4,200,6,2\n"
    "all_reduce,8,100,20,2\nall_reduce,8,200,40,2\n";

TEST_F(CollectivesCsv, RowsWithNodesHoldOnlyForGroupsOnThisNumberOfNodes) {
  const auto tables = read_collectives(file(of_nodes), 8);
  const auto seconds = [&](Verb verb, RankGroup group) {
    auto const* table = tables.find(verb, group);
    return table ? (*table)(200) : -1;
  };
  EXPECT_NEAR(seconds(Verb::all_reduce, {4, 1}), 2, 1e-12);
  EXPECT_NEAR(seconds(Verb::all_reduce, {4, 4}), 10, 1e-12);
  EXPECT_EQ(seconds(Verb::all_reduce, {4, 2}), -1);
  EXPECT_NEAR(seconds(Verb::all_gather, {4, 2}), 6, 1e-12);
  EXPECT_NEAR(seconds(Verb::all_gather, {4, 4}), 14, 1e-12);  // rows with nodes = 0: any number
  EXPECT_TRUE(tables.states_nodes(Verb::all_gather, {4, 2}));
  EXPECT_FALSE(tables.states_nodes(Verb::all_gather, {4, 4}));
  EXPECT_NEAR(tables.source(Verb::reduce_scatter, {4, 4}).value()(200), 5, 1e-12);
  EXPECT_FALSE(tables.source(Verb::reduce_scatter, {4, 2}));
}

TEST_F(CollectivesCsv, RefusesAGroupOnUnknownNodesIfItsRowsDifferInNodes) {
  const auto tables = read_collectives(file(of_nodes), 8);
  EXPECT_NEAR((*tables.find(Verb::all_reduce, {8}))(200), 40, 1e-12);
  EXPECT_NEAR((*tables.find(Verb::all_gather, {4}))(200), 14, 1e-12);
  try {
    tables.find(Verb::all_reduce, {4});
    ADD_FAILURE() << "no error";
  } catch (std::invalid_argument const& error) {
    EXPECT_NE(std::string(error.what()).find("for 4 ranks on 1 and on 4 nodes"), std::string::npos)
        << error.what();
  }
}

TEST_F(CollectivesCsv, AllReducesAreReadForTheNodesOfNeighbouringRanks) {
  const auto path = file(of_nodes);
  EXPECT_EQ(read_allreduce(path, 4, 4).at(1).seconds, 2);
  EXPECT_EQ(read_allreduce(path, 4, 1).at(1).seconds, 10);
  EXPECT_EQ(read_allreduce(path, 8, 4).at(1).seconds, 40);
  EXPECT_EQ(read_allreduce(path, 8).at(1).seconds, 40);
  for (const int ranks_per_node : {0, 2})
    EXPECT_THROW(read_allreduce(path, 4, ranks_per_node), std::invalid_argument) << ranks_per_node;
  EXPECT_EQ(allreduce_ranks(path), (std::vector{4, 8}));
  EXPECT_EQ(allreduce_ranks(path, 4), (std::vector{4, 8}));
  EXPECT_EQ(allreduce_ranks(path, 2), std::vector<int>{});
  EXPECT_EQ(allreduce_ranks(path, 8), std::vector{4});
}

TEST(RankGroups, AreOnTheNodesOfTheirRanks) {
  const Communicator units{{{0, 1}, {2, 3}}}, replicas{{{0, 2}, {1, 3}}}, three{{{0, 1, 2}, {3, 4, 5}}};
  EXPECT_EQ(nodes_of(units, 2), 1);
  EXPECT_EQ(nodes_of(replicas, 2), 2);
  EXPECT_EQ(nodes_of(replicas, 4), 1);
  EXPECT_EQ(nodes_of(three, 4), 2);  // ranks 3 to 5 are on two nodes
  EXPECT_EQ(nodes_of(units, 0), 0);
  EXPECT_EQ(nodes_of(units, std::vector<std::size_t>{0, 1, 0, 1}), 2);
  EXPECT_EQ(nodes_of(replicas, std::vector<std::size_t>{0, 1, 0, 1}), 1);
  EXPECT_EQ(nodes_of(units, std::vector<std::size_t>{}), 0);
  EXPECT_EQ(neighbours(6, 4).nodes, 2);
  EXPECT_EQ(neighbours(6, 0).nodes, 0);
  EXPECT_EQ(group_text({8}), "8 ranks");
  EXPECT_EQ(group_text({8, 1}), "8 ranks on 1 node");
}

TEST_F(CollectivesCsv, ErrorsNameTheLine) {
  EXPECT_NE(error_of("verb,ranks,bytes,seconds\nreduce,2,1,1\n").find(":2: the verb \"reduce\" is unknown"),
            std::string::npos);
  EXPECT_NE(
      error_of("verb,ranks,bytes,seconds\nbroadcast,2,1,1\nbroadcast,2,1,2\n").find(":3: duplicate bytes"),
      std::string::npos);
  EXPECT_NE(error_of("verb,ranks,bytes,seconds\nbroadcast,0,1,1\n").find(":2: ranks"), std::string::npos);
  EXPECT_NE(error_of("verb,ranks,bytes,seconds,nodes\nbroadcast,2,1,1,3\n").find(":2: nodes is 3"),
            std::string::npos);
}

}  // namespace
}  // namespace ddproxy::model
