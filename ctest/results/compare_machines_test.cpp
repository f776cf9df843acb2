// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <nlohmann/json.hpp>

#include "ctest/results/compare_runs.hpp"

namespace ddproxy::test {
namespace {

using Texts = std::vector<std::string>;

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

class Machines : public Compare {
 protected:
  // Ranks the machines, and returns their table as JSON.
  nlohmann::json rank(CompareOptions options) {
    options.rank_machines = true;
    options.json = folder / "r.json";
    EXPECT_EQ(compare(options), 0);
    return nlohmann::json::parse(contents(folder / "r.json"))["machines"];
  }

  static Paths together(Paths one, Paths const& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
  }
};

TEST_F(Machines, are_ordered_by_the_figure_of_merit) {
  const auto machines = rank(
      {.base = together(runs("a", 7, {.factor = 1.3, .host = "slow12"}), runs("b", 7, {.host = "quick3"}))});
  EXPECT_EQ(machines["machine"], (Texts{"replay, 8 ranks, quick", "replay, 8 ranks, slow"}));
  EXPECT_EQ(machines["times"], (Texts{"replayed", "replayed"}));
  const double tokens = machines["tokens_per_s"][0];
  EXPECT_NEAR(tokens, 8 * 4 * 1024 / 0.530, 0.01 * tokens);
  EXPECT_LT(machines["low"][0], tokens);
  EXPECT_GT(machines["low"][0], machines["high"][1]);
  EXPECT_FALSE(contains(warnings, "told apart")) << warnings;
}

TEST_F(Machines, are_not_ordered_by_an_added_strategy_with_caps) {
  const auto machines = rank({.base = runs("a", 7, {.added = "late_caps"})});
  const double tokens = machines["tokens_per_s"][0];
  EXPECT_NEAR(tokens, 8 * 4 * 1024 / 0.530, 0.01 * tokens);
}

TEST_F(Machines, have_warnings_if_their_order_is_uncertain) {
  Paths all = runs("a", 2, {.host = "slow12"});
  all.push_back(runs("b", 1, {.samples = 8, .host = "quick3"})[0]);
  all.push_back(runs("c", 1, {.host = "other"})[0]);
  rank({.base = all});
  EXPECT_TRUE(
      contains(warnings,
               "warning: the place in the ranking is uncertain for replay, 8 ranks, slow (2 runs); "
               "replay, 8 ranks, other (5 samples). The 95 % interval of the median needs at least 6 "
               "runs, or at least 6 samples if there is only one run. Give 6 runs of each machine, or "
               "raise [sweep] samples\n"))
      << warnings;
  EXPECT_TRUE(
      contains(warnings,
               "warning: there is only one run of replay, 8 ranks, quick (8 samples). So the 95 % "
               "interval covers the samples of one run and not the spread between runs. Give 6 runs or "
               "more of each machine\n"))
      << warnings;
  EXPECT_FALSE(contains(warnings, "differ")) << warnings;
  all.push_back(runs("d", 1, {.left_out = "bucketed 25 MiB", .host = "mpi"})[0]);
  rank({.base = all});
  EXPECT_TRUE(contains(warnings, "a0.h5 and " + all.back().string() + " differ in the sweep")) << warnings;
  rank({.base = all, .allow = {"sweep"}});
  EXPECT_FALSE(contains(warnings, "differ")) << warnings;
  rank({.base = runs("e", 7, {.is_complete = false})});
  EXPECT_TRUE(contains(warnings, "e0.h5: the run was interrupted")) << warnings;
}

TEST_F(Machines, with_overlapping_intervals_have_a_warning) {
  const auto all = together(runs("a", 7, {.host = "one"}), runs("b", 7, {.host = "two"}));
  rank({.base = all});
  const std::string before = "warning: machines whose 95 % intervals overlap cannot be told apart: ",
                    one = "replay, 8 ranks, one", two = "replay, 8 ranks, two",
                    after = ". Give more runs of each\n";
  EXPECT_NE(contains(warnings, before + one + " and " + two + after),
            contains(warnings, before + two + " and " + one + after))
      << warnings;
}

TEST_F(Machines, with_many_overlapping_intervals_share_one_warning) {
  Paths all;
  for (std::string name : {"a", "b", "c", "d"}) all = together(all, runs(name, 7, {.host = name}));
  rank({.base = all});
  EXPECT_EQ(count(warnings, "told apart"), 1U) << warnings;
  EXPECT_EQ(count(warnings, "Give more runs"), 1U) << warnings;
  EXPECT_EQ(count(warnings, " and replay, 8 ranks"), 3U) << warnings;  // three of the six pairs are named
  EXPECT_TRUE(contains(warnings, "; and 3 others. Give more runs of each\n")) << warnings;
}

TEST_F(Machines, with_too_few_runs_share_one_warning) {
  Paths all = together(runs("a", 3, {.host = "three"}), runs("b", 2, {.host = "two"}));
  all.push_back(runs("c", 1, {.samples = 1, .host = "one"})[0]);
  rank({.base = all});
  EXPECT_EQ(warnings,
            "warning: the place in the ranking is uncertain for replay, 8 ranks, one (1 sample); "
            "replay, 8 ranks, two (2 runs); replay, 8 ranks, three (3 runs). The 95 % interval of the median "
            "needs at least 6 runs, or at least 6 samples if there is only one run. Give 6 runs of each "
            "machine, or raise [sweep] samples\n");
  rank({.base = together(all, runs("d", 4, {.host = "four"}))});
  EXPECT_TRUE(contains(warnings, "three (3 runs); and 1 other. The")) << warnings;
  EXPECT_EQ(count(warnings, "uncertain"), 1U) << warnings;
  rank({.base = runs("e", 2, {.host = "two"})});
  EXPECT_TRUE(warnings.ends_with(". Give 6 runs of each machine\n")) << warnings;
}

TEST_F(Machines, with_a_single_run_share_one_warning) {
  Paths all;
  for (std::string name : {"a", "b", "c"}) all = together(all, runs(name, 1, {.samples = 8, .host = name}));
  rank({.base = all});
  EXPECT_EQ(count(warnings, "there is only one run of"), 1U) << warnings;
  EXPECT_EQ(count(warnings, "(8 samples)"), 3U) << warnings;
  EXPECT_EQ(count(warnings, "spread between runs"), 1U) << warnings;
}

TEST_F(Machines, with_different_labels_are_ranked_separately) {
  const auto mine = runs("a", 2, {.factor = 1.1}), yours = runs("b", 2, {});
  EXPECT_EQ(rank({.base = together(mine, yours)})["machine"], (Texts{"replay, 8 ranks, node"}));
  CompareOptions labelled{.base = together(mine, yours)};
  for (auto const& path : mine) labelled.labels[path] = "mine";
  for (auto const& path : yours) labelled.labels[path] = "yours";
  const auto both = rank(labelled);
  EXPECT_EQ(both["machine"], (Texts{"yours: replay, 8 ranks, node", "mine: replay, 8 ranks, node"}));
  EXPECT_EQ(both["runs"], (std::vector<int>{2, 2}));
}

TEST_F(Machines, have_the_label_of_the_file_unless_an_option_gives_a_label) {
  const auto mine = runs("a", 1, {.factor = 1.1, .label = "mine"}), yours = runs("b", 1, {.label = "yours"});
  CompareOptions options{.base = together(mine, yours)};
  EXPECT_EQ(rank(options)["machine"], (Texts{"yours: replay, 8 ranks, node", "mine: replay, 8 ranks, node"}));
  options.labels[yours[0]] = "mine";
  EXPECT_EQ(rank(options)["machine"], (Texts{"mine: replay, 8 ranks, node"}));
}

TEST_F(Machines, with_runs_of_different_software_have_a_warning) {
  const auto all = together(runs("a", 2, {}), runs("b", 2, {.provenance = {{"compiler", "GNU 13"}}}));
  rank({.base = all});
  EXPECT_TRUE(
      contains(warnings, "differ in compiler: 'of the test' against 'GNU 13'; to rank them as two machines"))
      << warnings;
  rank({.base = all, .allow = {"compiler"}});
  EXPECT_FALSE(contains(warnings, "differ in compiler")) << warnings;
}

TEST_F(Machines, of_replays_and_of_measured_runs_are_not_ranked_together) {
  const auto replays = runs("a", 2, {}), measured = runs("b", 3, {.replay = false, .factor = 1.1});
  const auto text = refused({.base = together(replays, measured), .rank_machines = true});
  EXPECT_TRUE(contains(text, "replays (" + replays[0].string() + " and 1 more)")) << text;
  EXPECT_TRUE(contains(text, "measured runs (" + measured[0].string() + " and 2 more)")) << text;
  EXPECT_TRUE(contains(text, "--allow mode")) << text;
  const auto machines = rank({.base = together(replays, measured), .allow = {"mode"}});
  EXPECT_EQ(machines["times"], (Texts{"replayed", "measured"}));
  EXPECT_EQ(rank({.base = measured})["times"], (Texts{"measured"}));
}

TEST_F(Machines, of_one_rank_are_not_ranked_with_machines_of_several_ranks) {
  const Sample one{.replay = false, .ranks = 1, .valid = "single"};
  const auto alone = runs("a", 2, one), reducing = runs("b", 1, {.replay = false});
  const auto text = refused({.base = together(alone, reducing), .rank_machines = true});
  EXPECT_TRUE(contains(text, "runs of one rank (" + alone[0].string() + " and 1 more)")) << text;
  EXPECT_TRUE(contains(text, "runs that reduce (" + reducing[0].string() + ")")) << text;
  EXPECT_EQ(rank({.base = together(alone, reducing), .allow = {"valid"}})["machine"].size(), 2U);
  EXPECT_EQ(rank({.base = alone})["times"], (Texts{"measured"}));
}

TEST_F(Machines, of_one_rank_have_the_singular_rank_in_their_names) {
  EXPECT_EQ(rank({.base = runs("a", 1, {.ranks = 1})})["machine"], (Texts{"replay, 1 rank, node"}));
}

TEST_F(Machines, split_label_separates_the_label_from_the_path) {
  using results::split_label;
  EXPECT_EQ(split_label("a.h5"), std::pair(std::filesystem::path("a.h5"), std::string()));
  EXPECT_EQ(split_label("A 1=b=c.h5"), std::pair(std::filesystem::path("b=c.h5"), std::string("A 1")));
  const auto there = folder / "a=b.h5";
  std::ofstream(there) << "text";
  EXPECT_EQ(split_label(there.string()), std::pair(there, std::string()));
  EXPECT_THROW(split_label("=a.h5"), std::invalid_argument);
  EXPECT_THROW(split_label("A="), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::test
