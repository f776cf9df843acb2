// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "results/compare.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ctest/results/folder.hpp"
#include "ctest/results/sample_file.hpp"
#include "results/comparison.hpp"

namespace ddproxy::test {
namespace {

using results::CompareOptions;
using Paths = std::vector<std::filesystem::path>;

class Compare : public Folder {
 protected:
  // Writes n runs, each with its own noise.
  Paths runs(std::string const& name, int n, Sample sample) {
    Paths paths;
    for (int k = 0; k < n; ++k) {
      paths.push_back(folder / (name + std::to_string(k) + ".h5"));
      sample.seed = static_cast<unsigned>(1000 * name[0] + k);
      make_sample(paths.back(), sample);
    }
    return paths;
  }

  int compare(CompareOptions const& options) {
    std::ostringstream table, doubts;
    out = warnings = "";
    const int status = results::compare(options, table, doubts);
    out = table.str();
    warnings = doubts.str();
    return status;
  }

  std::string refused(CompareOptions const& options) {
    const auto text = message_of<std::invalid_argument>([&] { compare(options); });
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }

  std::string row(std::string const& name) const {
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind(name + "  ", 0) == 0) return line;
    return "no row of " + name + " in\n" + out;
  }

  std::string out, warnings;
};

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

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

TEST_F(Compare, refuses_a_run_that_is_there_twice_on_a_side) {
  const auto base = runs("a", 7, {}), next = runs("b", 7, {});
  const auto twice = [&](std::filesystem::path const& again) {
    auto side = base;
    side.push_back(again);
    EXPECT_TRUE(contains(refused({.base = side, .next = next}), "hold the same run"));
    EXPECT_TRUE(contains(refused({.base = next, .next = side}), again.string()));
    EXPECT_TRUE(contains(refused({.base = side, .rank_machines = true}), "hold the same run"));
  };
  std::filesystem::copy_file(base[2], folder / "copy.h5");
  std::filesystem::create_symlink(base[3], folder / "link.h5");
  for (auto const& again : {base[0], folder / "." / "a0.h5", folder / "copy.h5", folder / "link.h5"})
    twice(again);
  EXPECT_TRUE(contains(refused({.history = folder}), "hold the same run"));
  EXPECT_EQ(compare({.base = base, .next = base}), 0);
  EXPECT_TRUE(contains(warnings, "a0.h5 and 6 more: the same run is on both sides")) << warnings;
  EXPECT_EQ(compare({.base = base, .next = next}), 0);
  EXPECT_EQ(warnings, "");
}

TEST_F(Compare, refuses_outputs_that_are_inputs_or_cannot_be_written) {
  const auto base = runs("a", 7, {}), next = runs("b", 7, {});
  const auto before = contents(base[1]);
  std::filesystem::create_symlink(base[1], folder / "link");
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .csv = base[1]}), "also read"));
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .json = folder / "link"}), "also read"));
  EXPECT_TRUE(contains(refused({.base = base, .next = next, .junit = folder / "." / "b3.h5"}), "also read"));
  EXPECT_TRUE(contains(refused({.history = folder, .csv = base[1]}), "also read"));
  EXPECT_EQ(contents(base[1]), before);
  const CompareOptions both{.base = base, .next = next, .json = folder / "r", .csv = folder / "r"};
  EXPECT_TRUE(contains(refused(both), "give another file"));
  const CompareOptions late{.base = base, .next = next, .json = folder / "r", .csv = folder / "none" / "r"};
  EXPECT_TRUE(contains(refused(late), "cannot write"));
  EXPECT_EQ(out, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "r"));
}

TEST_F(Compare, a_dry_run_checks_the_options) {
  EXPECT_EQ(compare({.json = folder / "r", .dry_run = true}), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "r"));
  EXPECT_TRUE(contains(refused({.allow = {"colour"}, .dry_run = true}), "no such key"));
  EXPECT_TRUE(contains(refused({.csv = folder, .dry_run = true}), "cannot write"));
}

TEST_F(Compare, noise_that_hides_the_tolerance_is_said_to) {
  compare({.base = runs("a", 8, {.noise = 0.1}), .next = runs("b", 8, {.noise = 0.1})});
  EXPECT_TRUE(contains(warnings, "the noise hides a slowdown of 2 %")) << warnings;
}

TEST_F(Compare, refuses_files_that_are_not_comparable) {
  const auto base = runs("a", 1, {});
  const CompareOptions options{.base = base, .next = runs("b", 1, {.ranks = 16, .precision = "bf16"})};
  const auto text = refused(options);
  EXPECT_TRUE(contains(text, "ranks: '8' against '16'")) << text;
  EXPECT_TRUE(contains(text, "precision: 'fp32' against 'bf16'")) << text;
  EXPECT_FALSE(contains(text, "model:")) << text;
  CompareOptions allowing = options;
  allowing.allow = {"ranks", "precision"};
  EXPECT_EQ(compare(allowing), 0);
  allowing.allow = {"ranks"};
  EXPECT_TRUE(contains(refused(allowing), "precision"));
  allowing.allow = {"colour"};
  EXPECT_TRUE(contains(refused(allowing), "no such key"));
  EXPECT_TRUE(contains(refused({.base = base, .next = runs("c", 1, {.replay = false})}), "device"));
}

TEST_F(Compare, refuses_wrong_gradients_and_wrong_files) {
  const auto base = runs("a", 1, {});
  EXPECT_TRUE(
      contains(refused({.base = base, .next = runs("b", 1, {.is_right = false})}), "wrong gradients"));
  std::ofstream(folder / "text.h5") << "text";
  EXPECT_TRUE(
      contains(refused({.base = base, .next = {folder / "text.h5"}}), "text.h5: cannot be read as HDF5"));
  results::Writer(folder / "empty.h5").finish();
  EXPECT_TRUE(contains(refused({.base = base, .next = {folder / "empty.h5"}}), "has no dataset /sweep/name"));
  EXPECT_TRUE(contains(refused({.base = base}), "give a file"));
  EXPECT_TRUE(contains(refused({.base = base, .next = base, .json = folder / "none" / "r"}), "cannot write"));
}

TEST_F(Compare, accepts_an_interrupted_file_with_a_warning) {
  EXPECT_EQ(compare({.base = runs("a", 1, {}), .next = runs("b", 1, {.is_complete = false})}), 0);
  EXPECT_TRUE(contains(warnings, "b0.h5: the run was interrupted")) << warnings;
}

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

TEST_F(Compare, finds_when_a_case_changed) {
  for (int k = 0; k < 20; ++k) {
    char day[32];
    std::snprintf(day, sizeof day, "2026-03-%02dT00:00:00Z", k + 1);
    make_sample(folder / (std::to_string(100 - k) + ".h5"), {.factor = k < 11 ? 1.0 : 1.03,
                                                             .only_case = "flat",
                                                             .seed = static_cast<unsigned>(k),
                                                             .created = day});
  }
  EXPECT_EQ(compare({.history = folder, .junit = folder / "r.xml"}), 1);
  EXPECT_TRUE(contains(row("flat"), "2026-03-12T00:00:00Z")) << out;
  EXPECT_TRUE(contains(row("flat"), "89.h5")) << out;
  EXPECT_TRUE(contains(out, "1 changes in 20 files")) << out;
  EXPECT_EQ(compare({.tolerance = 0.1, .history = folder}), 0);
  EXPECT_TRUE(contains(refused({.history = folder / "none"}), "no such folder"));
}

TEST(Tolerance, is_a_share_or_percent) {
  EXPECT_DOUBLE_EQ(results::parse_tolerance("2%"), 0.02);
  EXPECT_DOUBLE_EQ(results::parse_tolerance("0.05"), 0.05);
  EXPECT_DOUBLE_EQ(results::parse_tolerance("0.5%"), 0.005);
  for (auto text : {"", "two", "2", "0", "-1%", "2%%", "nan", "2 %"})
    EXPECT_THROW(results::parse_tolerance(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace ddproxy::test
