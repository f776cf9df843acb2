// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "ctest/results/compare_runs.hpp"
#include "results/comparison.hpp"

namespace ddproxy::test {
namespace {

TEST_F(Compare, equal_runs_are_unchanged) {
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = runs("b", 10, {})}), 0);
  EXPECT_TRUE(contains(row("bucketed 25 MiB"), "unchanged")) << out;
  EXPECT_TRUE(contains(row("all cases"), "unchanged")) << out;
  EXPECT_TRUE(contains(out, "0 of 11 are slower")) << out;
  EXPECT_EQ(warnings, "");
}

TEST_F(Compare, a_slowdown_of_one_case_is_found_and_named) {
  const auto next = runs("b", 10, {.factor = 1.03, .only_case = "bucketed 25 MiB"});
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = next}), 1);
  EXPECT_TRUE(contains(row("bucketed 25 MiB"), "slower")) << out;
  EXPECT_TRUE(contains(row("bucketed 64 MiB"), "unchanged")) << out;
}

TEST_F(Compare, a_slowdown_below_half_the_tolerance_is_no_alarm) {
  const auto base = runs("a", 10, {}), next = runs("b", 10, {.factor = 1.03});
  EXPECT_EQ(compare({.base = base, .next = next, .tolerance = 0.05}), 1);
  EXPECT_EQ(compare({.base = base, .next = next, .tolerance = 0.10}), 0);
}

TEST_F(Compare, what_got_faster_is_no_alarm) {
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = runs("b", 10, {.factor = 0.95})}), 0);
  EXPECT_TRUE(contains(row("naive"), "faster")) << out;
}

TEST_F(Compare, one_file_a_side_says_that_the_spread_of_runs_is_unknown) {
  const auto base = runs("a", 1, {.samples = 12}), next = runs("b", 1, {.factor = 1.05, .samples = 12});
  EXPECT_EQ(compare({.base = base, .next = next}), 1);
  EXPECT_TRUE(contains(warnings, "run-to-run spread is unknown")) << warnings;
}

// Something else on the machine: most samples of one run are slower, the fastest are not.
TEST_F(Compare, a_disturbed_run_is_no_slowdown) {
  const auto base = runs("a", 1, {.samples = 12}), next = runs("b", 1, {.disturbance = 1.2, .samples = 12});
  EXPECT_EQ(compare({.base = base, .next = next}), 0);
  EXPECT_TRUE(contains(row("flat"), "not proved")) << out;
  EXPECT_EQ(compare({.base = next, .next = base}), 0);
  EXPECT_TRUE(contains(row("flat"), "not proved")) << out;
}

TEST_F(Compare, one_file_a_side_raises_no_alarm_within_its_own_noise) {
  const auto base = runs("a", 1, {.noise = 0.03, .samples = 40});
  const auto next = runs("b", 1, {.factor = 1.06, .only_case = "flat", .noise = 0.03, .samples = 40});
  EXPECT_EQ(compare({.base = base, .next = next}), 0);
  EXPECT_TRUE(contains(row("flat"), "  -  not proved")) << out;
  EXPECT_TRUE(contains(row("naive"), "  -  unchanged")) << out;
  EXPECT_TRUE(contains(out, "the change be above three times the samples' noise; 1 not proved")) << out;
  EXPECT_TRUE(contains(warnings, "the noise hides")) << warnings;
  EXPECT_TRUE(contains(warnings, "no number of samples shows it")) << warnings;
  EXPECT_EQ(compare({.base = base, .next = runs("c", 1, {.factor = 1.3, .noise = 0.03, .samples = 40})}), 1);
}

TEST_F(Compare, too_few_runs_are_no_verdict) {
  const auto base = runs("a", 6, {}), next = runs("b", 6, {.factor = 1.5});
  EXPECT_EQ(compare({.base = base, .next = next, .json = folder / "r.json", .junit = folder / "r.xml"}), 0);
  EXPECT_TRUE(contains(row("flat"), "7  too few runs")) << out;
  EXPECT_TRUE(contains(out, "11 with too few runs: an alarm takes 7 a side")) << out;
  EXPECT_TRUE(contains(warnings, "no alarm is possible with so few runs in 11 of 11 cases")) << warnings;
  const auto junit = contents(folder / "r.xml");
  EXPECT_TRUE(contains(junit, "failures=\"0\" errors=\"0\" skipped=\"11\"")) << junit;
  EXPECT_TRUE(
      contains(junit, "name=\"flat\">\n    <skipped message=\"too few runs: an alarm takes 7 a side"));
  EXPECT_EQ(nlohmann::json::parse(contents(folder / "r.json"))["undecided"], 11);
  EXPECT_EQ(compare({.base = runs("a", 7, {}), .next = runs("b", 7, {.factor = 1.5})}), 1);
  compare({.base = {base[0]}, .next = {next[0]}});
  EXPECT_TRUE(contains(row("flat"), "too few samples")) << out;
}

// The samples of one run scatter far on one side, which raises their standard deviation, but not the
// interval.
TEST_F(Compare, what_the_interval_excludes_needs_no_more_runs) {
  std::vector<double> base, next;
  for (int k = 0; k < 20; ++k) {
    base.push_back(1.0 + 1e-4 * k + (k == 19 ? 0.3 : 0.0));
    next.push_back(1.0 + 1e-4 * k + (k == 3 ? 0.3 : 0.0));
  }
  const std::vector<results::Series> series{{"runs", base, next}, {"samples", base, next, 1.0}};
  const auto found = results::compare_series(series, 0.02);
  EXPECT_LT(found[0].family.high, 1.01);
  EXPECT_GT(found[0].noise, 0.03);
  EXPECT_LE(found[0].needed, 20u);
  EXPECT_EQ(found[1].needed, results::most_values);  // three times the noise is more than the tolerance
}

TEST_F(Compare, noise_that_hides_the_tolerance_is_said_to) {
  compare({.base = runs("a", 8, {.noise = 0.1}), .next = runs("b", 8, {.noise = 0.1})});
  EXPECT_TRUE(contains(warnings, "the noise hides a slowdown of 2 %")) << warnings;
}

TEST(Tolerance, is_a_share_or_percent) {
  EXPECT_DOUBLE_EQ(results::parse_share("--tolerance", "2%"), 0.02);
  EXPECT_DOUBLE_EQ(results::parse_share("--tolerance", "0.05"), 0.05);
  EXPECT_DOUBLE_EQ(results::parse_share("--tolerance", "0.5%"), 0.005);
  for (auto text : {"", "two", "2", "0", "-1%", "2%%", "nan", "2 %"})
    EXPECT_THROW(results::parse_share("--tolerance", text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace ddproxy::test
