// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/input/verb_costs.hpp"
#include "miniapp/input/toml/read_config.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/input/step_strategy.hpp"
#include "miniapp/input/workload.hpp"

namespace ddproxy {
namespace {

using model::CommunicatorId;
using model::Verb;

constexpr CommunicatorId units{1}, replicas{2};  // of HSDP: within a group, and between groups
constexpr auto table_of_two =
    "verb,ranks,bytes,seconds\nall_reduce,2,1000,2\nall_reduce,2,2000,4\nall_gather,2,1000,1\n"
    "all_gather,2,2000,3\n";
constexpr auto scatter_of_two = "reduce_scatter,2,1000,5\nreduce_scatter,2,2000,6\n";

/// A step of four ranks. FSDP divides units among two neighbours. All-reduces average over ranks 0 and 2, and
/// over ranks 1 and 3.
class VerbCostsOfHybrid : public testing::Test {
 protected:
  model::RankGraphs step(bool clipped = false) const {
    const auto config = read_config(folder_.file(
        "input.toml",
        std::string("[model]\npreset = \"tiny\"\n[step]\nbatch = 1\nsequence = 16\n[shard]\nstage = "
                    "\"fsdp\"\ngroup = 2\n[allreduce]\nbackend = \"mpi\"\n") +
            (clipped ? "[optimizer]\nclip = 1.0\n" : "")));
    return whole_step_of(config, step_to_run(config, make_workload(config)), 4);
  }
  VerbTables tables(std::string const& text, int ranks = 4) const {
    return tables_of_file(folder_.file("table.csv", text), ranks);
  }

 private:
  Folder folder_;
};

TEST_F(VerbCostsOfHybrid, EachVerbUsesTheTableForItsNumberOfRanks) {
  auto result = verb_costs(step(), tables(std::string(table_of_two) + scatter_of_two), 0);
  EXPECT_NEAR(result.costs(Verb::reduce_scatter, units, 2000), 6, 1e-9);
  EXPECT_NEAR(result.costs(Verb::all_gather, units, 2000), 3, 1e-9);
  EXPECT_NEAR(result.costs(Verb::all_reduce, replicas, 2000), 4, 1e-9);
  EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();
}

TEST_F(VerbCostsOfHybrid, DifferentGroupsThatShareATableGiveAWarning) {
  // An all-reduce adds the norm over two neighbours. Another one averages gradients over ranks 0 and 2, and
  // over ranks 1 and 3. Both are all-reduces of two ranks.
  const auto result = verb_costs(step(true), tables(std::string(table_of_two) + scatter_of_two), 0);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(
      result.warnings[0].find("groups of 2 ranks take their times from the same table of all_reduce: groups "
                              "such as ranks 0, 1, and groups such as ranks 0, 2."),
      std::string::npos)
      << result.warnings[0];
}

// Two nodes of two ranks: a unit is divided within a node, and the replicas are on both nodes.
TEST_F(VerbCostsOfHybrid, GroupsOnOneNodeAndOnTwoNodesUseDifferentTables) {
  const std::string of_nodes =
      "verb,ranks,bytes,seconds,nodes\nall_reduce,2,1000,2,1\nall_reduce,2,2000,4,1\n"
      "all_reduce,2,1000,20,2\nall_reduce,2,2000,40,2\nall_gather,2,1000,1,1\nall_gather,2,2000,3,1\n";
  auto result = verb_costs(step(true), tables(of_nodes), 2);
  EXPECT_NEAR(result.costs(Verb::all_reduce, replicas, 2000), 40, 1e-9);
  EXPECT_NEAR(result.costs(Verb::all_reduce, units, 2000), 4, 1e-9);
  EXPECT_NEAR(result.costs(Verb::reduce_scatter, units, 2000), 2,
              1e-9);  // half of the all-reduce on one node
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("reduce_scatter over 2 ranks on 1 node; half"), std::string::npos)
      << result.warnings[0];
  auto four = verb_costs(step(), tables(of_nodes), 4);  // all on one node
  EXPECT_NEAR(four.costs(Verb::all_reduce, replicas, 2000), 4, 1e-9);
}

TEST_F(VerbCostsOfHybrid, ATableForAnotherNumberOfNodesIsRefused) {
  const std::string of_a_node =
      "verb,ranks,bytes,seconds,nodes\nall_reduce,2,1000,2,1\nall_reduce,2,2000,4,1\n";
  try {
    verb_costs(step(), tables(of_a_node), 2);
    ADD_FAILURE() << "no error";
  } catch (std::invalid_argument const& error) {
    EXPECT_NE(std::string(error.what()).find("has the time of all_reduce over 2 ranks on 2 nodes, which"),
              std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(verb_costs(step(), tables(of_a_node), 0));  // the nodes are not known
}

TEST_F(VerbCostsOfHybrid, ATableWithoutNodesGivesAWarningIfGroupsCrossNodes) {
  const auto text = std::string(table_of_two) + scatter_of_two;
  for (const int ranks_per_node : {0, 1, 4})
    EXPECT_TRUE(verb_costs(step(), tables(text), ranks_per_node).warnings.empty()) << ranks_per_node;
  const auto crossing = verb_costs(step(), tables(text), 2).warnings;
  ASSERT_EQ(crossing.size(), 1U);
  EXPECT_NE(
      crossing[0].find("2 ranks on 2 nodes (such as ranks 0, 2) take their times from a table of all_reduce"),
      std::string::npos)
      << crossing[0];
}

TEST_F(VerbCostsOfHybrid, AReduceScatterWithoutATableTakesHalfAnAllReduceAndGivesWarnings) {
  auto result = verb_costs(step(), tables(table_of_two), 0);
  EXPECT_NEAR(result.costs(Verb::reduce_scatter, units, 2000), 2, 1e-9);
  ASSERT_EQ(result.warnings.size(), 2U);
  for (auto const& warning : result.warnings)
    EXPECT_TRUE(warning.find("half of the time of an all_reduce") != std::string::npos ||
                warning.find("the same table of all_reduce") != std::string::npos)
        << warning;
}

TEST_F(VerbCostsOfHybrid, ATableForEachCommunicatorGivesNoWarning) {
  const VerbTables own = [](VerbKey key, model::RankGroup) -> std::optional<VerbTable> {
    if (key.second != units && key.second != replicas) return std::nullopt;
    return VerbTable{[seconds = key.second == units ? 1.0 : 9.0](std::int64_t) { return seconds; }};
  };
  auto result = verb_costs(step(true), own, 0);
  EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();
  EXPECT_EQ(result.costs(Verb::all_reduce, replicas, 2000), 9);
  EXPECT_EQ(result.costs(Verb::all_reduce, units, 2000), 1);
}

TEST_F(VerbCostsOfHybrid, AVerbWithoutATableIsAnError) {
  EXPECT_THROW(
      verb_costs(step(), tables("verb,ranks,bytes,seconds\nall_reduce,4,1000,1\nall_reduce,4,2000,2\n"), 0),
      std::invalid_argument);
}

TEST_F(VerbCostsOfHybrid, ATableWithoutAColumnRanksIsRefusedForAGroup) {
  constexpr auto of_all = "bytes,seconds\n1000,1\n2000,2\n";
  try {
    verb_costs(step(), tables(of_all, 4), 0);
    ADD_FAILURE() << "no error";
  } catch (std::invalid_argument const& error) {
    const std::string text = error.what();
    EXPECT_NE(
        text.find(
            "all_gather over 2 ranks, nor of all_reduce over 2 ranks, nor of reduce_scatter over 2 ranks"),
        text.npos)
        << text;
    EXPECT_NE(text.find("without a column ranks has only times for all ranks"), text.npos) << text;
  }
  EXPECT_NO_THROW(verb_costs(step(), tables(of_all, 2), 0));
}

}  // namespace
}  // namespace ddproxy
