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
  EXPECT_EQ(json["compare"]["verdict"][2], "slower");
  EXPECT_NEAR(json["compare"]["ratio"][2].get<double>(), 1.05, 0.01);
  EXPECT_EQ(json["decision"], "slower");
  EXPECT_GE(json["alarms"], 1);
  const std::string csv = contents(folder / "r.csv"), junit = contents(folder / "r.xml");
  EXPECT_EQ(csv.rfind("case,base_s,new_s,ratio,low,high,noise,p,verdict,note\n\"all cases\",,,", 0), 0u);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 12);
  EXPECT_TRUE(contains(junit, "tests=\"12\" failures=\"")) << junit;
  EXPECT_TRUE(contains(junit, "name=\"flat\">\n    <failure message=\"")) << junit;
}

TEST_F(Compare, writes_missing_values_as_null_in_json_and_empty_in_csv) {
  compare({.base = runs("a", 2, {}),
           .next = runs("b", 2, {}),
           .json = folder / "r.json",
           .csv = folder / "r.csv"});
  EXPECT_TRUE(nlohmann::json::parse(contents(folder / "r.json"))["compare"]["low"][0].is_null());
  EXPECT_TRUE(contains(contents(folder / "r.csv"), ",,,"));
}

}  // namespace
}  // namespace ddproxy::test
