// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ctest/results/history_folder.hpp"

namespace ddproxy::test {
namespace {

using History = HistoryFolder;

// For such a history an earlier version printed "0 changes", wrote an empty JUnit file, and raised no alarm.
TEST_F(History, finds_ten_times_slower_runs_among_8_to_20_nights) {
  for (auto [nights, slow] : {std::pair{8, 4}, {12, 6}, {20, 5}}) {
    for (auto const& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove(entry);
    write_runs(0, nights - slow, 1.0);
    write_runs(nights - slow, nights, 10.0);
    EXPECT_EQ(compare({.history = folder, .junit = folder / "r.xml"}), 1) << nights << '\n' << out;
    EXPECT_TRUE(contains(row("flat"), date(nights - slow))) << out;
    EXPECT_TRUE(contains(row("flat"), name(nights - slow) + ".h5")) << out;
    EXPECT_TRUE(contains(row("flat"), "slower than the nights before")) << out;
    const auto junit = contents(folder / "r.xml");
    EXPECT_TRUE(contains(junit, "tests=\"12\" failures=\"12\"")) << junit;
  }
}

TEST_F(History, passes_equal_nights_and_gives_the_smallest_visible_slowdowns) {
  write_nights(0, 31, 0.0);
  const auto json = json_of({.history = folder});
  EXPECT_EQ(json["decision"], "unchanged");
  EXPECT_EQ(json["history"]["case"], (std::vector<std::string>{"a", "b", "c", "d", "the whole"}));
  for (double seen : json["history"]["seen_after_1"]) EXPECT_NEAR(seen, 0.05, 0.03);
  for (double seen : json["history"]["seen_after_5"]) EXPECT_NEAR(seen, 0.025, 0.01);
  EXPECT_EQ(warnings, "");
  EXPECT_EQ(compare({.history = folder, .junit = folder / "r.xml"}), 0);
  EXPECT_TRUE(contains(out, "no slowdown in 31 nights")) << out;
  EXPECT_TRUE(contains(contents(folder / "r.xml"), "tests=\"6\" failures=\"0\""))
      << contents(folder / "r.xml");
}

TEST_F(History, finds_ten_percent_in_one_case_after_one_night) {
  write_nights(0, 30, 0.0);
  write_nights(30, 31, 0.1);
  const auto json = json_of({.history = folder});
  EXPECT_EQ(json["decision"], "slower");
  EXPECT_EQ(json["alarms"], 1);
  EXPECT_EQ(json["history"]["since"][0], date(30));
  EXPECT_EQ(json["history"]["file"][0], "n030.night.json");
  EXPECT_EQ(json["history"]["revision"][0], "r30");
  EXPECT_NEAR(json["history"]["ratio"][0].get<double>(), 1.1, 0.02);
  EXPECT_EQ(json["history"]["verdict"][1], "unchanged");
  // With this tolerance one night shows only slowdowns of 40 % or more, but at_least is 10 %.
  EXPECT_EQ(compare({.tolerance = 0.2, .history = folder}), 5);
}

TEST_F(History, finds_three_percent_after_five_nights_and_names_the_first_night) {
  write_nights(0, 30, 0.0);
  write_nights(30, 35, 0.03);
  const auto json = json_of({.history = folder});
  EXPECT_EQ(json["decision"], "slower");
  EXPECT_EQ(json["history"]["since"][0], date(30));
}

TEST_F(History, finds_five_small_steps_against_the_best_level) {
  const auto step = [](int day) {
    return std::pow(1.009, day < 20 ? 0 : std::min(5, (day - 10) / 10)) - 1.0;
  };
  write_nights(0, 75, step);
  const auto json = json_of({.history = folder});
  EXPECT_EQ(json["decision"], "slower");
  EXPECT_EQ(json["history"]["verdict"][0], "slower than the best level so far");
  EXPECT_GT(json["history"]["ratio"][0], 1.02);
}

TEST_F(History, a_slowdown_counts_until_the_third_fast_night) {
  write_nights(0, 20, 0.0);
  write_nights(20, 90, 0.1);  // longer than a window
  EXPECT_EQ(compare({.history = folder}), 1);
  EXPECT_TRUE(contains(row("a"), date(20))) << out;
  write_nights(90, 92, 0.0);
  EXPECT_EQ(compare({.history = folder}), 1) << "two fast nights must not be enough";
  write_nights(92, 93, 0.0);
  EXPECT_EQ(compare({.history = folder}), 0) << out;
}

TEST_F(History, a_slowdown_counts_until_it_is_acknowledged) {
  write_nights(0, 20, 0.0);
  write_nights(20, 26, 0.1);
  EXPECT_EQ(compare({.history = folder, .acknowledge = "a safer algorithm"}), 0) << out;
  EXPECT_TRUE(contains(out, "acknowledged: a, ")) << out;
  EXPECT_EQ(compare({.history = folder}), 0);
  const auto kept = nlohmann::json::parse(contents(folder / "acknowledged.json"))["acknowledged"];
  ASSERT_EQ(kept.size(), 2u) << kept;  // the case and the mean of all cases
  EXPECT_EQ(kept[0]["case"], "a");
  EXPECT_EQ(kept[0]["until"], date(25));
  EXPECT_NEAR(kept[0]["slowdown"].get<double>(), 0.1, 0.02);
  EXPECT_EQ(kept[0]["reason"], "a safer algorithm");
  write_nights(26, 40, 0.1);
  EXPECT_EQ(compare({.history = folder}), 0) << "the level is accepted\n" << out;
  write_nights(40, 41, 0.22);
  EXPECT_EQ(compare({.history = folder}), 1) << "another slowdown on top\n" << out;
  EXPECT_TRUE(contains(row("a"), date(40))) << out;
}

TEST_F(History, acknowledges_one_case_alone) {
  write_nights(0, 20, 0.0);
  write_nights(20, 26, 0.1);
  EXPECT_EQ(compare({.history = folder, .acknowledge = "known", .acknowledge_cases = {"the whole"}}), 1);
  EXPECT_TRUE(contains(row("a"), "slower")) << out;
  EXPECT_TRUE(contains(row("the whole"), "unchanged")) << out;
  EXPECT_EQ(compare({.history = folder, .acknowledge = "known", .acknowledge_cases = {"b"}}), 1);
  EXPECT_TRUE(contains(warnings, "nothing was acknowledged")) << warnings;
}

TEST_F(History, a_speed_up_sets_the_level_to_compare_with) {
  write_nights(0, 20, 0.0);
  write_nights(20, 30, -0.1);
  EXPECT_EQ(compare({.history = folder}), 0) << out;
  EXPECT_TRUE(contains(row("a"), "faster")) << out;
  write_nights(30, 32, 0.0);
  EXPECT_EQ(compare({.history = folder}), 1) << out;
}

TEST_F(History, compares_with_a_pinned_level) {
  write_nights(0, 10, 0.0);
  write_nights(10, 80, [](int day) { return 0.0004 * (day - 10); });  // 2.8 % in total
  const auto json = json_of({.history = folder, .pin = "n009.night.json"});
  EXPECT_EQ(json["decision"], "slower");
  EXPECT_EQ(json["history"]["verdict"][0], "slower than the pinned level");
  EXPECT_GT(json["history"]["over_pinned"][0], 1.02);
  EXPECT_NEAR(json["history"]["over_pinned"][1].get<double>(), 1.0, 0.01);
  EXPECT_EQ(json_of({.history = folder, .pin = night_file(9)})["decision"], "slower");
  compare({.history = folder, .pin = "n078.night.json"});
  EXPECT_FALSE(contains(out, "slower than the pinned")) << out;
}

}  // namespace
}  // namespace ddproxy::test
