// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "ctest/results/compare_runs.hpp"
#include "results/compare/night.hpp"

namespace ddproxy::test {
namespace {

TEST_F(Compare, equal_runs_are_unchanged) {
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = runs("b", 10, {})}), 0);
  EXPECT_TRUE(contains(row("bucketed 25 MiB"), "unchanged")) << out;
  EXPECT_TRUE(contains(row("all cases"), "unchanged")) << out;
  EXPECT_TRUE(contains(out, "unchanged: all cases together differ by")) << out;
  EXPECT_TRUE(contains(warnings, "assumes one session")) << warnings;
}

TEST_F(Compare, samples_that_a_run_left_out_do_not_count) {
  const auto next = runs("b", 10, {.not_counted = 3});  // the left-out samples take three times as long
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = next}), 0);
  EXPECT_TRUE(contains(row("all cases"), "unchanged")) << out;
}

TEST_F(Compare, a_slowdown_of_one_case_is_found_and_named) {
  const auto next = runs("b", 10, {.factor = 1.03, .only_case = "bucketed 25 MiB"});
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = next}), 1);
  EXPECT_TRUE(contains(row("bucketed 25 MiB"), "slower")) << out;
  EXPECT_TRUE(contains(row("bucketed 64 MiB"), "unchanged")) << out;
  EXPECT_TRUE(contains(out, "slower: bucketed 25 MiB by 3.0")) << out;
}

TEST_F(Compare, a_slowdown_below_the_tolerance_is_found) {
  const auto base = runs("a", 10, {}), next = runs("b", 10, {.factor = 1.03});
  EXPECT_EQ(compare({.base = base, .next = next, .tolerance = 0.10}), 1);
}

TEST_F(Compare, a_speed_up_is_no_alarm) {
  EXPECT_EQ(compare({.base = runs("a", 10, {}), .next = runs("b", 10, {.factor = 0.95})}), 0);
  EXPECT_TRUE(contains(row("naive"), "faster")) << out;
}

// At the commit a9528eb, a comparison of one file with one file raised an alarm in 9 of 15 pairs of equal
// builds, and passed builds that were 10 times slower.
TEST_F(Compare, one_measured_run_on_each_side_is_undecided) {
  for (double factor : {1.0, 1.1, 10.0})
    for (std::size_t samples : {std::size_t{3}, std::size_t{12}, std::size_t{40}}) {
      const auto base = runs("a", 1, {.replay = false, .samples = samples});
      const auto next = runs("b", 1, {.replay = false, .factor = factor, .samples = samples});
      EXPECT_EQ(compare({.base = base, .next = next}), 5) << factor << ' ' << samples;
      EXPECT_TRUE(
          contains(out, "one file on each side does not show by how much two runs of the same build differ"))
          << out;
      EXPECT_TRUE(contains(out, "run scripts/gate with 7 rounds")) << out;
    }
  EXPECT_TRUE(contains(row("flat"), "10.")) << out;
}

TEST_F(Compare, one_replay_on_each_side_decides_with_few_samples) {
  for (std::size_t samples : {std::size_t{3}, std::size_t{5}, std::size_t{12}}) {
    const auto base = runs("a", 1, {.samples = samples});
    EXPECT_EQ(compare({.base = base, .next = runs("b", 1, {.samples = samples})}), 0) << out;
    EXPECT_EQ(compare({.base = base, .next = runs("c", 1, {.factor = 1.1, .samples = samples})}), 1) << out;
    EXPECT_EQ(compare({.base = base, .next = runs("d", 1, {.factor = 10, .samples = samples})}), 1) << out;
  }
  EXPECT_TRUE(contains(out, "slower: 10 of the 10 cases (simulated times)")) << out;
}

// Another program disturbs the machine: most samples of one run are slower, but its fastest samples are not.
TEST_F(Compare, a_disturbed_replay_is_undecided) {
  const auto base = runs("a", 1, {.samples = 12}), next = runs("b", 1, {.disturbance = 1.2, .samples = 12});
  EXPECT_EQ(compare({.base = base, .next = next}), 5);
  EXPECT_TRUE(contains(row("flat"), "but the reason may be the host, which delays samples by")) << out;
}

TEST_F(Compare, too_few_runs_are_undecided) {
  const auto base = runs("a", 4, {}), next = runs("b", 4, {.factor = 10});
  EXPECT_EQ(compare({.base = base, .next = next, .json = folder / "r.json", .junit = folder / "r.xml"}), 5);
  EXPECT_TRUE(contains(
      out, "4 and 4 runs cannot decide at a significance level of 1 %; give 5 runs or more on each side"))
      << out;
  const auto junit = contents(folder / "r.xml");
  EXPECT_TRUE(contains(junit, "tests=\"12\" failures=\"1\" errors=\"0\" skipped=\"11\"")) << junit;
  EXPECT_TRUE(contains(junit, "name=\"decision\">\n    <failure message=\"undecided: ")) << junit;
  EXPECT_TRUE(contains(junit, "name=\"flat\">\n    <skipped message=\"undecided: ")) << junit;
  EXPECT_EQ(nlohmann::json::parse(contents(folder / "r.json"))["decision"], "undecided");
  EXPECT_EQ(compare({.base = runs("a", 5, {}), .next = runs("b", 5, {.factor = 1.5})}), 1);
  EXPECT_EQ(compare({.base = {base[0]}, .next = runs("b", 10, {.factor = 10})}), 5);
}

TEST_F(Compare, an_undecided_comparison_passes_if_it_is_allowed) {
  const auto base = runs("a", 4, {}), next = runs("b", 4, {});
  EXPECT_EQ(compare({.base = base, .next = next, .junit = folder / "r.xml", .allow_undecided = true}), 0);
  const auto junit = contents(folder / "r.xml");
  EXPECT_TRUE(contains(junit, "tests=\"12\" failures=\"0\" errors=\"0\" skipped=\"12\"")) << junit;
}

TEST_F(Compare, noise_makes_the_comparison_undecided_and_more_runs_are_advised) {
  EXPECT_EQ(compare({.base = runs("a", 8, {.noise = 0.2}), .next = runs("b", 8, {.noise = 0.2})}), 5);
  EXPECT_TRUE(contains(out, "runs on each side would probably decide")) << out;
  EXPECT_TRUE(contains(row("flat"), "is not excluded")) << out;
}

/// A fixture that writes the rounds of a gate. From each round to the next the machine becomes 5 % slower for
/// both builds.
class Rounds : public Compare {
 protected:
  Paths rounds(std::string const& name, int n, Sample sample) {
    Paths paths;
    const double factor = sample.factor;
    sample.session = "session";
    for (int k = 0; k < n; ++k) {
      sample.round = k + 1;
      sample.factor = factor * std::pow(1.05, k);
      sample.seed = static_cast<unsigned>(1000 * name[0] + k);
      paths.push_back(folder / (name + "-" + std::to_string(k) + ".h5"));
      make_sample(paths.back(), sample);
    }
    return paths;
  }
};

TEST_F(Rounds, a_drift_of_the_machine_cancels) {
  EXPECT_EQ(compare({.base = rounds("a", 8, {}), .next = rounds("b", 8, {})}), 0) << out;
  EXPECT_TRUE(contains(out, "8 rounds, in which both builds took turns")) << out;
  EXPECT_TRUE(contains(row("compute/linear"), "unchanged")) << out;
  EXPECT_EQ(warnings, "");
}

TEST_F(Rounds, a_slowdown_of_3_percent_is_found) {
  const auto base = rounds("a", 8, {}), next = rounds("b", 8, {.factor = 1.03});
  EXPECT_EQ(compare({.base = base, .next = next, .json = folder / "r.json"}), 1);
  EXPECT_TRUE(contains(row("compute/linear"), "slower")) << out;
  EXPECT_LT(nlohmann::json::parse(contents(folder / "r.json"))["smallest_found_of_all_cases"], 0.02);
}

TEST_F(Rounds, fewer_than_seven_rounds_are_undecided) {
  EXPECT_EQ(compare({.base = rounds("a", 6, {}), .next = rounds("b", 6, {.factor = 10})}), 5);
  EXPECT_TRUE(contains(out, "6 rounds cannot decide at a significance level of 1 %; give 7 rounds or more"))
      << out;
}

// The history takes the noise of such a night from other nights.
TEST_F(Rounds, one_round_writes_a_night_without_deviations) {
  const auto night = folder / "one.night.json";
  EXPECT_EQ(compare({.base = rounds("a", 1, {}), .next = rounds("b", 1, {}), .night = night}), 5);
  EXPECT_TRUE(contains(out, "undecided: 1 round cannot decide")) << out;
  const auto stored = nlohmann::json::parse(contents(night));
  EXPECT_EQ(stored["rounds"], 1);
  for (auto const& one : stored["cases"]) EXPECT_TRUE(one["deviation"].is_null()) << one;
  EXPECT_EQ(results::read_night(night).cases.size(), stored["cases"].size());
}

// The part that one build did not measure may be the slow one.
TEST_F(Rounds, a_case_that_only_one_build_measured_makes_the_result_undecided) {
  const auto base = rounds("a", 8, {}), next = rounds("b", 8, {.left_out_part = "compute/linear"});
  const auto slower = rounds("c", 8, {.factor = 1.5, .left_out_part = "compute/linear"});
  for (bool swapped : {false, true}) {
    EXPECT_EQ(compare({.base = swapped ? next : base, .next = swapped ? base : next}), 5) << out;
    EXPECT_TRUE(contains(out, "undecided: compute/linear was measured by only some of the runs")) << out;
  }
  EXPECT_EQ(compare({.base = base, .next = slower}), 1) << out;
  EXPECT_EQ(compare({.base = base, .next = next, .allow = {"sweep"}}), 0) << out;
  EXPECT_TRUE(contains(
      warnings, "compute/linear was measured by only some of the runs, so the comparison leaves it out"));
}

TEST_F(Rounds, a_case_missing_from_one_round_makes_the_result_undecided) {
  auto base = rounds("a", 8, {}), next = rounds("b", 8, {});
  next.back() = rounds("c", 8, {.left_out_part = "compute"}).back();
  EXPECT_EQ(compare({.base = base, .next = next}), 5) << out;
  EXPECT_TRUE(contains(out, "undecided: compute was measured by only some of the runs")) << out;
}

TEST_F(Rounds, a_round_that_only_one_side_has_is_left_out) {
  auto base = rounds("a", 9, {}), next = rounds("b", 9, {});
  base.erase(base.begin() + 2);
  next.pop_back();
  EXPECT_EQ(compare({.base = base, .next = next}), 0) << out;
  EXPECT_TRUE(contains(out, "7 rounds")) << out;
  EXPECT_TRUE(
      contains(warnings, "2 files are left out, because the other side has no file of the same round"))
      << warnings;
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
