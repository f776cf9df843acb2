// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "ctest/results/history_folder.hpp"

// Tests which nights of a folder are compared, when the decision is "undecided", and which noise of the
// nights raises a warning.
namespace ddproxy::test {
namespace {

using History = HistoryFolder;

TEST_F(History, two_nights_are_undecided) {
  write_nights(0, 2, 0.0);
  EXPECT_EQ(compare({.history = folder, .junit = folder / "r.xml"}), 5);
  EXPECT_TRUE(contains(out, "needs four nights before the newest")) << out;
  EXPECT_TRUE(contains(contents(folder / "r.xml"), "tests=\"6\" failures=\"1\""))
      << contents(folder / "r.xml");
  EXPECT_EQ(compare({.history = folder, .allow_undecided = true}), 0);
}

TEST_F(History, is_undecided_if_the_noise_can_hide_the_slowdown_of_at_least) {
  write_nights(0, 31, 0.0);
  EXPECT_EQ(compare({.history = folder, .at_least = 0.02}), 5);
  EXPECT_TRUE(contains(out, "--at-least asks for 2.00 %")) << out;
  EXPECT_EQ(compare({.history = folder, .at_least = 0.1}), 0) << out;
}

TEST_F(History, uses_the_spread_within_the_newest_night_as_its_noise) {
  write_nights(0, 30, 0.0);
  auto newest = night(30, 0.1);
  write_night(night_file(30), newest);
  EXPECT_EQ(compare({.history = folder}), 1);
  for (auto& one : newest.cases) one.deviation = 0.1;  // with ten rounds the standard error is 3 %
  write_night(night_file(30), newest);
  EXPECT_NE(compare({.history = folder}), 1) << out;
}

TEST_F(History, a_noisy_case_is_undecided_but_the_comparison_passes) {
  for (int day = 0; day < 31; ++day) {
    auto one = night(day, 0.0);
    one.cases[0].log_ratio = 0.1 * std::sin(2.4 * day);
    one.cases[0].deviation = 0.3;
    write_night(night_file(day), one);
  }
  EXPECT_EQ(compare({.history = folder}), 0) << out;
  EXPECT_TRUE(contains(row("a"), "undecided")) << out;
  EXPECT_TRUE(contains(out, "; 1 case is undecided")) << out;
}

TEST_F(History, a_case_that_the_newest_night_lacks_is_undecided) {
  write_nights(0, 30, 0.0);
  auto newest = night(30, 0.0);
  newest.cases.erase(newest.cases.begin());
  write_night(night_file(30), newest);
  EXPECT_EQ(compare({.history = folder}), 5);
  EXPECT_TRUE(contains(out, "a: the newest night did not measure this case")) << out;
}

TEST_F(History, prefers_ratio_nights_to_plain_runs) {
  write_nights(0, 10, 0.0);
  write_runs(10, 14, 10.0);
  const auto json = json_of({.history = folder});
  EXPECT_NE(json["decision"], "slower");
  EXPECT_EQ(json["history"]["nights"][0], 10);
  EXPECT_TRUE(contains(warnings, "leaves out 4 plain runs (*.h5)")) << warnings;
}

TEST_F(History, plain_runs_of_another_machine_are_left_out) {
  write_runs(0, 8, 1.0, "old1");
  write_runs(8, 20, 5.0, "new1");
  const auto json = json_of({.history = folder});
  EXPECT_NE(json["decision"], "slower");
  EXPECT_EQ(json["history"]["nights"][0], 12);
  EXPECT_TRUE(contains(warnings, "leaves out 8 nights with the machine 'replay, 8 ranks, old'")) << warnings;
  EXPECT_TRUE(contains(warnings, "'replay, 8 ranks, new'")) << warnings;
}

TEST_F(History, ratio_nights_continue_on_a_new_machine_but_not_with_a_new_reference) {
  write_nights(0, 20, 0.0);
  for (int day = 20; day < 30; ++day) {
    auto other = night(day, day == 29 ? 0.1 : 0.0);
    other.machine = "another";
    write_night(night_file(day), other);
  }
  EXPECT_EQ(compare({.history = folder}), 1);
  EXPECT_EQ(warnings, "");
  for (int day = 20; day < 30; ++day) {
    auto other = night(day, 0.5);  // with another reference this is no slowdown
    other.reference_revision = "second";
    write_night(night_file(day), other);
  }
  EXPECT_NE(compare({.history = folder}), 1) << out;
  EXPECT_TRUE(contains(warnings, "leaves out 20 nights with the reference build 'reference'")) << warnings;
}

TEST_F(History, warns_of_noise_with_two_modes) {
  write_nights(0, 40, [](int day) { return day % 3 == 0 ? 0.05 : 0.0; });
  compare({.history = folder});
  EXPECT_TRUE(contains(warnings, "a: the times of the nights form two groups")) << warnings;
  EXPECT_FALSE(contains(warnings, "b: the times of the nights")) << warnings;
  EXPECT_FALSE(contains(warnings, "correlated")) << warnings;
}

TEST_F(History, warns_of_correlated_nights) {
  for (int day = 0; day < 40; ++day) {
    auto one = night(day, 0.0);
    for (auto& c : one.cases) c.log_ratio += 0.01 * std::sin(day / 3.0);
    write_night(night_file(day), one);
  }
  compare({.history = folder});
  EXPECT_TRUE(contains(warnings, "successive nights are correlated by 0.")) << warnings;
}

}  // namespace
}  // namespace ddproxy::test
