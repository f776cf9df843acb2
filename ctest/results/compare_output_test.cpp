// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ctest/results/compare_runs.hpp"

namespace ddproxy::test {
namespace {

TEST_F(Compare, writes_json_csv_and_junit) {
  const auto base = runs("a", 10, {}), next = runs("b", 10, {.factor = 1.05, .only_case = "flat"});
  EXPECT_EQ(compare({.base = base,
                     .next = next,
                     .json = folder / "r.json",
                     .csv = folder / "r.csv",
                     .junit = folder / "r.xml"}),
            1);
  const auto json = nlohmann::json::parse(contents(folder / "r.json"));
  EXPECT_EQ(json["compare"]["case"].size(), 11u);
  EXPECT_EQ(json["compare"]["verdict"][1], "slower");
  EXPECT_NEAR(json["compare"]["ratio"][1].get<double>(), 1.05, 0.01);
  EXPECT_EQ(json["alarms"], 1);
  const std::string csv = contents(folder / "r.csv"), junit = contents(folder / "r.xml");
  EXPECT_EQ(
      csv.rfind("case,base_s,new_s,ratio,low,high,family_low,family_high,noise,needed,verdict\n\"naive\",",
                0),
      0u);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 12);
  EXPECT_TRUE(contains(junit, "tests=\"11\" failures=\"1\" errors=\"0\" skipped=\"0\"")) << junit;
  EXPECT_TRUE(contains(junit, "name=\"flat\">\n    <failure message=\"")) << junit;
}

TEST_F(Compare, what_is_not_available_is_null_and_empty) {
  compare({.base = runs("a", 2, {}),
           .next = runs("b", 2, {}),
           .json = folder / "r.json",
           .csv = folder / "r.csv"});
  EXPECT_TRUE(nlohmann::json::parse(contents(folder / "r.json"))["compare"]["family_low"][0].is_null());
  EXPECT_TRUE(contains(contents(folder / "r.csv"), ",,,,"));
}

TEST_F(Compare, orders_machines_by_the_figure_of_merit) {
  Paths all = runs("a", 7, {.factor = 1.3, .host = "slow12"});
  for (auto const& path : runs("b", 7, {.host = "quick3"})) all.push_back(path);
  EXPECT_EQ(compare({.base = all, .rank_machines = true, .json = folder / "r.json"}), 0);
  const auto machines = nlohmann::json::parse(contents(folder / "r.json"))["machines"];
  EXPECT_EQ(machines["machine"],
            (std::vector<std::string>{"replay, 8 ranks, quick", "replay, 8 ranks, slow"}));
  const double tokens = machines["tokens_per_s"][0];
  EXPECT_NEAR(tokens, 8 * 4 * 1024 / 0.530, 0.01 * tokens);
  EXPECT_LT(machines["low"][0], tokens);
  EXPECT_GT(machines["low"][0], machines["high"][1]);
}

TEST_F(Compare, says_what_makes_the_order_of_machines_doubtful) {
  Paths all = runs("a", 2, {.host = "slow12"});
  all.push_back(runs("b", 1, {.samples = 8, .host = "quick3"})[0]);
  all.push_back(runs("c", 1, {.host = "other"})[0]);
  EXPECT_EQ(compare({.base = all, .rank_machines = true}), 0);
  EXPECT_TRUE(contains(warnings, "slow: 2 runs, an interval takes six")) << warnings;
  EXPECT_TRUE(contains(warnings, "quick: one run, the interval is that of its 8 samples")) << warnings;
  EXPECT_TRUE(contains(warnings, "other: 5 samples, an interval takes six")) << warnings;
  EXPECT_FALSE(contains(warnings, "differ")) << warnings;
  all.push_back(runs("d", 1, {.replay = false, .left_out = "bucketed 25 MiB", .host = "mpi"})[0]);
  EXPECT_EQ(compare({.base = all, .rank_machines = true}), 0);
  EXPECT_TRUE(contains(warnings, "a0.h5 and " + all.back().string() + " differ in the sweep")) << warnings;
  EXPECT_TRUE(contains(warnings, "differ in the mode")) << warnings;
  EXPECT_EQ(compare({.base = all, .allow = {"sweep", "mode"}, .rank_machines = true}), 0);
  EXPECT_FALSE(contains(warnings, "differ")) << warnings;
}

}  // namespace
}  // namespace ddproxy::test
