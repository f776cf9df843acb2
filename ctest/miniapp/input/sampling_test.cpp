// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "miniapp/predict/analysis/contradiction.hpp"
#include "miniapp/predict/analysis/noise_text.hpp"
#include "miniapp/predict/analysis/round_prediction.hpp"
#include "miniapp/predict/analysis/stopping.hpp"

// Tests the condition that ends a sweep, the prediction from the times of a sample's own round, the warning
// about noise, and contradictions.
namespace ddproxy {
namespace {

// Returns a sample of two ranks. T_compute = 1 s.
Sample sample(double total, std::vector<double> buckets_alone = {}) {
  return {{total, total - 0.1}, {1.1, 1.0}, {1.0, 0.9}, {0, 0}, std::move(buckets_alone)};
}

CaseResult result_of(std::vector<double> const& totals) {
  std::vector<Sample> samples;
  for (double total : totals) samples.push_back(sample(total));
  return analyse(samples, 0.5);
}

TEST(Stopping, a_case_is_precise_if_the_interval_of_e_is_narrow) {
  const auto narrow = result_of({1.20, 1.21, 1.20, 1.19, 1.20, 1.20});
  EXPECT_NEAR(narrow.exposed.noise(), 0.01, 1e-12);
  EXPECT_TRUE(is_precise(narrow, 0.051));
  EXPECT_FALSE(is_precise(narrow, 0.049));
}

TEST(Stopping, fewer_than_six_samples_are_never_precise) {
  EXPECT_FALSE(is_precise(result_of(std::vector<double>(5, 1.2)), 0.05));
  EXPECT_TRUE(is_precise(result_of(std::vector<double>(6, 1.2)), 0.05));
}

TEST(Stopping, the_noise_of_a_small_e_is_compared_with_t) {
  const auto hidden = result_of({1.0, 1.0002, 0.9998, 1.0, 1.0, 1.0});
  EXPECT_TRUE(is_precise(hidden, 0.05));  // noise 0.2 ms; limit 5 % of 5 ms, which is 0.5 % of T
  EXPECT_FALSE(is_precise(hidden, 0.02));
}

TEST(Stopping, rounds_continue_until_the_target_or_the_budget_is_reached) {
  const RoundBudget fixed(3, 0.0), timed(3, 10.0);
  EXPECT_TRUE(fixed.takes_another(2, 100.0, true));
  EXPECT_FALSE(fixed.takes_another(3, 0.1, false));
  EXPECT_TRUE(timed.takes_another(3, 7.5, false));   // a fourth round of 2.5 s fits
  EXPECT_FALSE(timed.takes_another(3, 7.6, false));  // it does not fit
  EXPECT_FALSE(timed.takes_another(3, 1.0, true));
  EXPECT_EQ(fixed.reason(false), Stop::samples);
  EXPECT_EQ(fixed.reason(true), Stop::samples);  // without max_seconds the target decides nothing
  EXPECT_EQ(timed.reason(false), Stop::budget);
  EXPECT_EQ(timed.reason(true), Stop::target);
}

// Two gradients of 4 bytes, ready at 0.4 s and 1 s of T_compute = 1 s. Before the sweep a(x) = 0.3 s.
model::Job job_before() {
  return {{0.4, 1.0}, 1.0, {4, 4}, [](std::int64_t) { return 0.3; }};
}

Case per_tensor() {
  return {model::strategy_named("per_tensor"), 0, model::per_tensor_plan(std::vector<std::int64_t>{4, 4})};
}

TEST(RoundPrediction, uses_the_compute_and_all_reduce_times_of_the_round) {
  // T_compute is 2 s, so the gradients are ready at 0.8 s and 2 s. With a = 0.5 s, T = 2.5 s.
  const Sample slow{{2.6}, {2.0}, {2.0}, {0}, {0.5, 0.5}};
  const auto predicted = predict_rounds(per_tensor(), job_before(), {slow});
  EXPECT_NEAR(predicted.total, 2.5, 1e-12);
  EXPECT_NEAR(predicted.exposed, 0.5, 1e-12);
}

TEST(RoundPrediction, equals_the_prediction_before_the_sweep_if_nothing_drifted) {
  const Sample same{{1.3}, {1.0}, {1.0}, {0}, {0.3, 0.3}};
  EXPECT_NEAR(predict_rounds(per_tensor(), job_before(), {same}).total,
              predict(per_tensor(), job_before()).total, 1e-12);
}

TEST(RoundPrediction, keeps_the_sum_of_the_all_reduce_times) {
  Case naive = per_tensor();
  naive.strategy = model::strategy_named("naive");
  const Sample uneven{{2.6}, {2.0}, {2.0}, {0}, {0.1, 0.7}};
  EXPECT_NEAR(predict_rounds(naive, job_before(), {uneven}).total, 2.8, 1e-12);
}

// The first all-reduce takes 0.3 s alone, and 1.5 s while compute runs (gamma = 0.2). So compute adds 1.2 s.
TEST(RoundPrediction, compute_adds_the_same_seconds_to_an_all_reduce_as_before_the_sweep) {
  model::Job job = job_before();
  job.ready = {0.4, 10.0};
  job.t_compute = 10.0;
  job.contention = model::Contention(1.0, 0.2);
  const Sample slow{{10.5}, {10.0}, {10.0}, {0}, {3.0, 3.0}};
  const auto same = predict_rounds(per_tensor(), job, {{{10.3}, {10.0}, {10.0}, {0}, {0.3, 0.3}}});
  EXPECT_NEAR(same.exposed, predict(per_tensor(), job).total - 10.0, 1e-12);
  // The first all-reduce ends at 0.4 + 3.0 + 1.2 = 4.6 s, before compute ends. So only the second one is
  // exposed.
  EXPECT_NEAR(predict_rounds(per_tensor(), job, {slow}).exposed, 3.0, 1e-12);
}

TEST(RoundPrediction, is_nan_if_no_all_reduce_was_measured_alone) {
  EXPECT_TRUE(std::isnan(predict_rounds(per_tensor(), job_before(), {sample(1.3)}).total));
  EXPECT_TRUE(std::isnan(predict_rounds(per_tensor(), job_before(), {}).exposed));
}

// Returns the report of a case with T_compute = 1 s and E = `total` - 1 s. A cap of 0: the case has no cap.
CaseReport report_of(bool overlapped, double total, double communication, std::size_t samples = 6,
                     double cap_mib = 0) {
  CaseReport report{{model::strategy_named(overlapped ? "bucketed" : "naive"), cap_mib, {}}, {}, {}, 0, {}};
  report.measured = analyse(std::vector<Sample>(samples, sample(total, {communication})), not_available);
  return report;
}

// Returns the warnings of a run in which all-reduces are carried out.
std::vector<std::string> warnings_about(std::vector<CaseReport> const& reports) {
  std::vector<Contradiction> found;
  for (auto const& report : reports)
    for (auto const& one : find_contradictions(report)) found.push_back(one);
  return contradiction_warnings(found, true);
}

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(Noise, an_interval_wider_than_half_of_its_median_has_a_warning) {
  const NamedTime quiet{"T of flat", {1.0, 0.8, 1.29}}, wide{"T of naive", {1.0, 0.8, 1.4}},
      wider{"the step", {1.0, 0.5, 3.0}}, single{"T of one", {1.0, not_available, not_available}};
  EXPECT_EQ(noise_warning({}, true), "");
  EXPECT_EQ(noise_warning({quiet, single}, true), "");
  const auto one = noise_warning({quiet, wide, single}, false), two = noise_warning({wide, wider}, false);
  EXPECT_TRUE(
      one.starts_with("the times are noisy: the 95 % interval of T of naive is 800 to 1400 ms, which is "
                      "wider than half of its median of 1000 ms. Measure again"))
      << one;
  EXPECT_NE(two.find("the step is 500 to 3000 ms"), std::string::npos) << two;
  EXPECT_NE(two.find("for the T of all other cases"), std::string::npos) << two;
}

TEST(Noise, the_warning_advises_a_wait_policy_if_threads_spin) {
  const std::vector<NamedTime> wide{{"T of naive", {1.0, 0.8, 1.4}}};
  const auto sleeping = noise_warning(wide, false), spinning = noise_warning(wide, true);
  EXPECT_EQ(sleeping.find("OMP_WAIT_POLICY"), std::string::npos) << sleeping;
  EXPECT_TRUE(spinning.starts_with(sleeping)) << spinning;
  EXPECT_NE(spinning.find("set OMP_WAIT_POLICY=passive"), std::string::npos) << spinning;
}

TEST(Contradiction, no_warning_is_given_if_the_times_add_up) {
  EXPECT_TRUE(find_contradictions(report_of(false, 1.5, 0.5)).empty());
  EXPECT_TRUE(find_contradictions(report_of(false, 1.52, 0.5)).empty());  // an overlap of -0.04
  EXPECT_TRUE(find_contradictions(report_of(true, 1.0, 0.5)).empty());
  EXPECT_TRUE(contradiction_warnings({}, true).empty());
  EXPECT_EQ(costs_of_overlapping({report_of(true, 1.4, 0.5), report_of(false, 1.9, 0.5)}), "");
}

TEST(Contradiction, an_overlap_of_naive_is_a_contradiction) {
  const auto small = find_contradictions(report_of(false, 1.45, 0.5));
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(small[0].result, "naive (0.10, 95 % interval of 6 samples: 0.10 to 0.10)");
  EXPECT_FALSE(small[0].is_large());
  EXPECT_TRUE(find_contradictions(report_of(false, 1.3, 0.5)).at(0).is_large());
  EXPECT_TRUE(find_contradictions(report_of(false, 1.8, 0.5)).at(0).is_large());
}

TEST(Contradiction, an_overlap_above_one_is_a_contradiction) {
  EXPECT_FALSE(find_contradictions(report_of(true, 0.95, 0.5)).at(0).is_large());
  EXPECT_TRUE(find_contradictions(report_of(true, 0.85, 0.5)).at(0).is_large());  // an overlap of 1.3
}

TEST(Contradiction, fewer_than_six_samples_give_a_warning_but_no_invalid_run) {
  const auto found = find_contradictions(report_of(true, 0.85, 0.5, 3, 4));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].is_large());
  EXPECT_EQ(
      contradiction_warnings(found, true).at(0),
      "an overlap above 1 was measured, which is impossible: bucketed/4 (1.30, 95 % interval of 3 samples: "
      "1.30 to 1.30). The distance between the interval of bucketed/4 and 1 is 0.3. This is above the limit "
      "of 0.20. A case with 6 samples or more would make the run invalid (valid=false). This case has only "
      "3, so it does not change `valid`. To find out whether the figures are valid, measure again with "
      "[sweep] samples = 6. Either the machine changed between two measurements of this run, or "
      "communication and compute share a core. Leave one core free for the communication of each rank, and "
      "repeat the run on a quieter machine");
}

TEST(Contradiction, the_warning_says_how_it_changes_valid) {
  const auto small = find_contradictions(report_of(true, 0.95, 0.5));
  const auto large = find_contradictions(report_of(true, 0.85, 0.5));
  const auto says = [](std::vector<Contradiction> const& found, bool reduces, std::string const& part) {
    return count(contradiction_warnings(found, reduces).at(0), part) == 1;
  };
  EXPECT_TRUE(says(small, true,
                   "The distance between the interval of bucketed/0 and 1 is 0.1. This is below the limit of "
                   "0.20, so it does not change `valid`. Either the machine"));
  EXPECT_TRUE(
      says(large, true, "so the figures of this run are not valid (valid=false). Either the machine"));
  EXPECT_TRUE(says(large, false, "`valid` stays replay, because times were replayed. Either the machine"));
}

TEST(Contradiction, a_kind_has_one_warning_that_names_the_three_worst_cases) {
  std::vector<CaseReport> reports;
  for (double cap : {1, 2, 4, 8, 16}) reports.push_back(report_of(true, 0.96 - 0.01 * cap, 0.5, 6, cap));
  const auto warnings = warnings_about(reports);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with(
      "an overlap above 1 was measured, which is impossible: bucketed/16 (1.40, 95 % interval of 6 samples: "
      "1.40 to 1.40); bucketed/8 (1.24, 95 % interval of 6 samples: 1.24 to 1.24); bucketed/4 (1.16, 95 % "
      "interval of 6 samples: 1.16 to 1.16); and 2 others. The distance between the interval of bucketed/16 "
      "and 1 is 0.4. This"))
      << warnings[0];
  for (auto const* once : {"impossible", "The distance", "the limit", "valid=false", "Either the machine",
                           "Leave one core free", "repeat the run"})
    EXPECT_EQ(count(warnings[0], once), 1u) << once << ": " << warnings[0];
  reports.pop_back();
  EXPECT_EQ(count(warnings_about(reports).at(0), "; and 1 other. The distance"), 1u);
}

// The case with two samples differs more, but only the case with six samples makes the run invalid.
TEST(Contradiction, a_case_that_makes_the_run_invalid_is_named_as_the_worst) {
  const auto warnings = warnings_about({report_of(true, 0.6, 0.5, 2, 1), report_of(true, 0.85, 0.5, 6, 4)});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(count(warnings[0], "impossible: bucketed/4 (1.30"), 1u) << warnings[0];
  EXPECT_EQ(count(warnings[0], "The distance between the interval of bucketed/4 and 1 is 0.3"), 1u);
  EXPECT_EQ(count(warnings[0], "valid=false"), 1u) << warnings[0];
  EXPECT_EQ(count(warnings[0], "does not change"), 0u) << warnings[0];
}

TEST(Contradiction, each_kind_has_a_warning_but_the_advice_is_given_once) {
  std::vector<Contradiction> found;
  for (auto const& report : {report_of(false, 1.3, 0.5), report_of(true, 0.85, 0.5, 6, 1),
                             report_of(false, 1.2, 0.5), report_of(true, 0.8, 0.5, 6, 4)}) {
    for (auto const& one : find_contradictions(report)) found.push_back(one);
    if (!report.item.overlapped()) continue;
    for (auto const& one : find_contradictions(report, {0.3, 0.3, 0.3, 0.9})) found.push_back(one);
  }
  const auto warnings = contradiction_warnings(found, true);
  ASSERT_EQ(warnings.size(), 3u);
  const std::string all = warnings[0] + "\n" + warnings[1] + "\n" + warnings[2];
  for (auto const* once :
       {"an overlap other than 0 was measured", "an overlap above 1 was measured", "one cause of E alone",
        "Jitter means", "Either the machine changed", "Leave one core free", "repeat the run"})
    EXPECT_EQ(count(all, once), 1u) << once << ": " << all;
  EXPECT_EQ(count(warnings[0], "Leave one core free"), 1u) << all;
  EXPECT_EQ(count(all, "advice are the same as in the warning above"), 2u) << all;
}

TEST(Contradiction, a_cause_of_e_larger_than_e_is_a_contradiction) {
  const auto report = report_of(true, 1.1, 0.5);  // E = 0.1 s
  EXPECT_TRUE(find_contradictions(report, {0.02, 0.10, 0.10, 0.10}).empty());
  const auto jitter = find_contradictions(report, {0.02, 0.02, 0.02, 0.60}).at(0);
  EXPECT_TRUE(jitter.is_large());
  EXPECT_EQ(jitter.excess,
            "The 580 ms of bucketed/0 are 480 % above the upper end of the 95 % interval of its E, 100 ms");
  const auto ideal = find_contradictions(report, {0.30, 0.30, 0.30, 0.30}).at(0);
  EXPECT_TRUE(ideal.is_large());
  const auto warnings = contradiction_warnings({ideal, jitter, jitter}, true);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with(
      "in the prediction, one cause of E alone is larger than the whole measured E: bucketed/0 (jitter: 580 "
      "ms, measured E: 100 ms); bucketed/0 (jitter: 580 ms, measured E: 100 ms); bucketed/0 (ideal: 300 ms, "
      "measured E: 100 ms). Ideal means that all-reduces end after compute even without the other causes. "
      "Jitter means that buckets wait for the latest rank. The 580 ms of bucketed/0 are 480 % above"))
      << warnings[0];
}

TEST(Contradiction, an_overlap_below_zero_is_a_cost_and_no_contradiction) {
  std::vector<CaseReport> reports;
  for (double cap : {1, 2, 4, 8}) reports.push_back(report_of(true, 1.6 + 0.01 * cap, 0.5, 6, cap));
  EXPECT_TRUE(warnings_about(reports).empty());
  const auto warning = costs_of_overlapping(reports);
  EXPECT_TRUE(
      warning.starts_with("the overlap is negative: bucketed/8 (-0.36, 95 % interval of 6 samples: -0.36 to "
                          "-0.36); bucketed/4 ("))
      << warning;
  EXPECT_EQ(count(warning, "; and 1 other. So overlapping costs more time than it hides"), 1u) << warning;
  for (auto const* once : {"Probably", "Leave one core free", "larger buckets", "Repeat the run"})
    EXPECT_EQ(count(warning, once), 1u) << once << ": " << warning;
}

}  // namespace
}  // namespace ddproxy
