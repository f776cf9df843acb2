// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/app/tables.hpp"
#include "miniapp/app/run_ends.hpp"
#include "miniapp/app/step_tables.hpp"
#include "model/statistics/estimate.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ddproxy {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

CaseReport measured(model::NamedStrategy const& strategy, double cap_mib, model::Estimate total) {
  CaseReport report{};
  report.item.strategy = strategy;
  report.item.cap_mib = cap_mib;
  report.measured = CaseResult{};
  report.measured->total = total;
  report.measured->totals = {total.low, total.value, total.high};
  return report;
}

CaseReport with_rounds(CaseReport report, std::vector<double> totals) {
  report.measured->totals = std::move(totals);
  return report;
}

TEST(TuningLine, ComparesTheBestCapWith25MiBAndTheWorstCap) {
  std::vector<CaseReport> reports{measured(model::strategy_named("naive"), 0, {0.9, 0.9, 0.9}),
                                  measured(model::strategy_named("bucketed"), 4, {0.200, 0.199, 0.201}),
                                  measured(model::strategy_named("bucketed"), 25, {0.165, 0.164, 0.166}),
                                  measured(model::strategy_named("bucketed"), 64, {0.150, 0.149, 0.151}),
                                  measured(model::strategy_named("optimal"), 0, {0.1, 0.1, 0.1})};
  const std::string worst = "bucketed/4 (the worst cap) takes 50 ms (33.3 %) longer\n";
  EXPECT_EQ(tuning_line(reports, 0.017),
            "lower bound on E: 17 ms\n"
            "best cap: bucketed/64; 25 MiB (PyTorch's default) takes 15 ms (10.0 %) longer, and " +
                worst);
  reports.erase(reports.begin() + 2);
  EXPECT_EQ(tuning_line(reports, unknown), "best cap: bucketed/64; " + worst);
}

// Of all cases, added/4 has the smallest T and added/1 the largest. Neither of them is a bucketed case, so
// the line must not name them.
TEST(TuningLine, NamesOnlyCasesOfTheStrategyBucketed) {
  const model::NamedStrategy added{"added", model::BucketRule::cap, true, model::ddp};
  const std::vector<CaseReport> reports{
      measured(added, 4, {0.1, 0.1, 0.1}), measured(added, 1, {0.9, 0.9, 0.9}),
      measured(added, 25, {0.11, 0.11, 0.11}),
      measured(model::strategy_named("bucketed"), 4, {0.200, 0.199, 0.201}),
      measured(model::strategy_named("bucketed"), 64, {0.150, 0.149, 0.151})};
  EXPECT_EQ(tuning_line(reports, unknown),
            "best cap: bucketed/64; bucketed/4 (the worst cap) takes 50 ms (33.3 %) longer\n");
}

// added/25 may be as fast as the best cap, and it has the same buckets as bucketed/25. But it is another
// strategy, so this does not show that bucketed/25 is as fast as the best cap.
TEST(TuningLine, AnotherStrategyWithTheSameBucketsIsNotEquallyFast) {
  std::vector<CaseReport> reports{
      measured(model::strategy_named("bucketed"), 25, {0.1504, 0.1503, 0.1505}),
      measured(model::strategy_named("bucketed"), 64, {0.1500, 0.1499, 0.1501}),
      measured({"added", model::BucketRule::cap, true, model::ddp}, 25, {0.1500, 0.1499, 0.1501})};
  for (auto& report : reports) report.measured->totals.resize(8, report.measured->total.value);
  reports[0].item.plan = reports[2].item.plan = {{.first = 0, .last = 3, .bytes = 16, .offset_bytes = 0}};
  const auto line = tuning_line(reports, unknown);
  EXPECT_EQ(line.find("within the noise"), std::string::npos) << line;
}

TEST(TuningLine, SaysIfADifferenceIsWithinTheNoise) {
  const std::vector<CaseReport> reports{
      with_rounds(measured(model::strategy_named("bucketed"), 4, {0.200, 0.170, 0.201}), {0.17, 0.2, 0.201}),
      with_rounds(measured(model::strategy_named("bucketed"), 25, {0.150, 0.149, 0.180}),
                  {0.18, 0.149, 0.15})};
  EXPECT_NE(tuning_line(reports, unknown).find("within the noise"), std::string::npos);
  EXPECT_EQ(tuning_line({measured(model::strategy_named("flat"), 0, {1, 1, 1})}, unknown), "");
}

TEST(TuningLine, ASlowRoundOfAllCasesIsNoNoise) {
  const std::vector<double> slow{0.150, 0.150, 0.151, 0.150, 0.149, 0.150, 0.300, 0.310};
  std::vector<double> slower = slow;
  for (double& total : slower) total *= 1.06;
  slower[1] *= 1.01;
  const std::vector<CaseReport> reports{
      with_rounds(measured(model::strategy_named("bucketed"), 25, {0.150, 0.149, 0.310}), slow),
      with_rounds(measured(model::strategy_named("bucketed"), 4, {0.159, 0.158, 0.330}), slower)};
  EXPECT_EQ(tuning_line(reports, unknown).find("noise"), std::string::npos) << tuning_line(reports, unknown);
}

// 16 and 25 MiB make the same buckets. 16 MiB may be as fast as the best cap, so 25 MiB may be, too.
TEST(TuningLine, CapsWithTheSameBucketsAreEquallyFast) {
  std::vector<CaseReport> reports{measured(model::strategy_named("bucketed"), 4, {0.1500, 0.1499, 0.1501}),
                                  measured(model::strategy_named("bucketed"), 16, {0.1501, 0.1499, 0.1503}),
                                  measured(model::strategy_named("bucketed"), 25, {0.1504, 0.1503, 0.1505}),
                                  measured(model::strategy_named("bucketed"), 64, {0.2000, 0.1990, 0.2010})};
  for (auto& report : reports) report.measured->totals.resize(8, report.measured->total.value);
  reports[1].measured->totals = {0.1499, 0.1499, 0.1499, 0.1501, 0.1501, 0.1503, 0.1503, 0.1503};
  const std::string slower = "25 MiB (PyTorch's default) takes 0.4 ms (0.3 %) longer, and ";
  EXPECT_NE(tuning_line(reports, unknown).find(slower), std::string::npos) << tuning_line(reports, unknown);
  reports[1].item.plan = reports[2].item.plan = {{.first = 0, .last = 3, .bytes = 16, .offset_bytes = 0}};
  const std::string equal = "25 MiB (PyTorch's default) takes 0.4 ms (0.3 %, within the noise) longer, and ";
  EXPECT_NE(tuning_line(reports, unknown).find(equal), std::string::npos) << tuning_line(reports, unknown);
}

StepRow step_row(std::string name, double seconds, double predicted) {
  StepRow made;
  made.name = std::move(name);
  made.samples = {seconds};
  made.median.value = seconds;
  made.predicted = predicted;
  return made;
}

TEST(StepTable, ShowsNoErrorOfPartsThatTakeAlmostNoTime) {
  StepFigures figures;
  figures.rows = {step_row("forward", 0.9, 0.45), step_row("clip", 0.001, 0.1), step_row("waiting", 0.001, 0),
                  step_row("step", 1, 1), step_row("exposed", 0.001, 0.1)};
  const auto text = step_table(figures, Config{}, 25);
  const auto error_of = [&](std::string const& name) {
    std::istringstream line(text.substr(text.find("\n" + name) + 1));
    std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    return words.at(7);
  };
  EXPECT_EQ(error_of("forward"), "-50.0");
  EXPECT_EQ(error_of("clip"), "9900.0");  // a prediction that is far above the measured time stays visible
  EXPECT_EQ(error_of("waiting"), "-");
  EXPECT_EQ(error_of("exposed"), "-");
  EXPECT_NE(
      text.find("\nerror: \"-\" where both the measured and the predicted time are below 0.5 % of the step. "
                "For E it is \"-\" if the measured time is below 0.5 %, whatever was predicted\n"),
      std::string::npos)
      << text;
}

TEST(StepTable, DoesNotExplainTheMissingErrorOfARowThatItLeavesOut) {
  StepFigures figures;
  figures.rows = {step_row("forward", 0.9, 0.45), step_row("copies", 0, 0), step_row("step", 1, 1),
                  step_row("exposed", 0.1, 0.1)};
  const auto text = step_table(figures, Config{}, 25);
  EXPECT_EQ(text.find("copies"), std::string::npos) << text;
  EXPECT_EQ(text.find("error: \"-\""), std::string::npos) << text;
}

TEST(StepTable, ShowsTheBusyTimeOfEachLaneAndTheBubble) {
  StepFigures figures;
  figures.rows = {step_row("step", 1, 1)};
  EXPECT_EQ(step_table(figures, Config{}, 25).find("lanes of"), std::string::npos);
  figures.lanes = {{{"compute", 0.75, 0.7}, {"communication", 0.5, 0.45}}, 0.25, 0.3};
  const auto text = step_table(figures, Config{}, 25);
  EXPECT_NE(text.find("\nlanes of rank 0 in the last step   busy (ms)  predicted (ms)\n"
                      "compute                              750.000         700.000\n"
                      "communication                        500.000         450.000\n"
                      "bubble                               250.000         300.000\n"
                      "busy: the time in which the lane carries out tasks. bubble: "),
            std::string::npos)
      << text;
}

TEST(TuningLine, SaysThatOneSampleDoesNotTellTheNoise) {
  const std::vector<CaseReport> reports{
      with_rounds(measured(model::strategy_named("bucketed"), 4, {2.2, unknown, unknown}), {2.2}),
      with_rounds(measured(model::strategy_named("bucketed"), 25, {0.150, unknown, unknown}), {0.150})};
  EXPECT_EQ(
      tuning_line(reports, 1e-17),
      "lower bound on E: 0 ms\n"
      "best cap: bucketed/25 (PyTorch's default); bucketed/4 (the worst cap) takes 2050 ms (1366.7 %, noise "
      "not known because a case has one sample) longer\n");
  EXPECT_EQ(tuning_line({reports[0]}, unknown), "best cap: bucketed/4, the only cap that was measured\n");
}

TEST(WaterfallLine, SplitsTheMeasuredEIntoItsCauses) {
  auto report = measured(model::strategy_named("bucketed"), 25, {0.3, 0.3, 0.3});
  report.measured->exposed = {0.1, 0.09, 0.11};
  EXPECT_EQ(
      waterfall_line(report, {0.010, 0.030, 0.060, 0.065}),
      "E of bucketed/25 is 100 ms. Its causes, in ms: ideal 10 (all-reduces that end after compute even "
      "without the other causes); contention +20 (compute and all-reduces slow each other); copies +30 (into "
      "and out of buckets); jitter +5 (buckets wait for the latest rank); not explained +35\n");
  EXPECT_EQ(waterfall_line(report, {0.010, 0.010, 0.010, 0.010}), "");
  EXPECT_NE(waterfall_line(report, {0.010, 0.010, 0.020, 0.020}), "");
  const auto impossible = waterfall_line(report, {0.2, 0.21, 0.21, 0.21});
  EXPECT_NE(
      impossible.find(
          "below the ideal of 200 ms (the predicted E without contention, handovers, copies and jitter)"),
      std::string::npos)
      << impossible;
}

TEST(WaterfallLine, LeavesOutCausesBelowTheNoise) {
  auto report = measured(model::strategy_named("bucketed"), 25, {0.3, 0.3, 0.3});
  report.measured->exposed = {0.0001, -0.002, 0.0025};
  EXPECT_EQ(waterfall_line(report, {0.00002, 0.00003, 0.00003, 0.00005}),
            "E of bucketed/25 is 0.1 ms, with a noise of 2.25 ms. Its causes are not shown, because each of "
            "them is smaller than the noise; the results file has them\n");
  EXPECT_NE(waterfall_line(report, {0.00002, 0.004, 0.004, 0.004}).find("contention +3.98"),
            std::string::npos);
}

TEST(MissLine, SplitsTheErrorOfAPredictionIntoDriftAndModel) {
  auto report = measured(model::strategy_named("bucketed"), 25, {1.09, 1.09, 1.09});
  report.measured->exposed.value = 0.09;
  report.predicted.total = 1.1;
  report.predicted_compute = 1;
  EXPECT_EQ(miss_line(report), "") << "no prediction from the round of the sample";
  report.same_round.exposed = 0.08;
  EXPECT_EQ(miss_line(report),
            "E of bucketed/25 is 10 ms smaller than predicted: -20 ms because the machine changed after the "
            "tables were measured, and +10 ms because of errors of the model\n");
  report.measured->exposed.value = 0.15;
  EXPECT_NE(miss_line(report).find("is 50 ms larger than predicted"), std::string::npos);
  report.measured->exposed = {0.15, 0.05, 0.25};
  EXPECT_EQ(miss_line(report),
            "the error of the predicted E of bucketed/25 is smaller than the noise of E, 100 ms\n");
}

TEST(Tables, memory_is_printed_from_one_gibibyte_on) {
  const double gib = 1024 * model::bytes_per_mib;
  EXPECT_EQ(memory_line({0.5 * gib, 0.9 * gib}, 0.7 * gib), "");
  EXPECT_EQ(memory_line({1.5 * gib, 2.2 * gib}, 2.0 * gib),
            "memory of a rank: predicted 2048.0 MiB, measured peak 2252.8 MiB (+10.0 %)\n");
}

TEST(Interruption, names_the_saved_rounds_and_the_way_to_continue) {
  EXPECT_EQ(interruption_text("r.h5", {3, false}),
            "interrupted by a signal; what was measured is saved in r.h5.part. 3 rounds of the sweep are "
            "complete. To "
            "continue, repeat the command with --resume r.h5.part");
  EXPECT_NE(interruption_text("r.h5", {1, false}).find("1 round of the sweep is complete"),
            std::string::npos);
  EXPECT_TRUE(interruption_text("r.h5", {0, false}).ends_with("so start the run again"));
  EXPECT_NE(interruption_text("r.h5", {0, true})
                .find("no times are saved; r.h5.part has only a description of the run"),
            std::string::npos);
}

}  // namespace
}  // namespace ddproxy
