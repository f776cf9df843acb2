// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// After the calibration only the results file holds its samples. The recorder must return what was measured:
// first the samples from before the sweep, then those from after it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ctest/miniapp/input/input_file.hpp"
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/input/toml/read_config.hpp"

namespace ddproxy {
namespace {

using Numbers = std::vector<double>;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class CalibrationRecorder : public testing::Test {
 protected:
  void SetUp() override {
    config_ = read_config(folder_.file("input.toml", "[model]\npreset = \"tiny\"\n[sweep]\nsamples = 2\n"));
    workload_ = make_workload(config_);
    options_.output = folder_.file("r.h5", "");
    recorder_.emplace(options_, config_);
  }

  /// Returns `count` numbers. No number is returned twice.
  Numbers next(std::size_t count) {
    Numbers list(count);
    for (double& one : list) one = std::sqrt(++numbers_);
    return list;
  }
  model::Probes probes(std::size_t count) { return {next(count), next(count)}; }
  SizeTimes size(std::int64_t bytes, std::size_t samples) {
    return {bytes, next(samples), bytes / 100, probes(samples)};
  }
  ContentionSample run(std::int64_t bytes, std::size_t samples) {
    ContentionSample run{bytes, next(samples), next(samples), next(samples), next(samples), bytes / 4};
    run.probes = probes(samples);
    return run;
  }
  OperationTimes passes(std::size_t samples) {
    const std::size_t operations = workload_.pass.operations.size();
    return {2, operations, samples, next(2 * operations * samples), probes(samples)};
  }
  void write(Tables const& tables) {
    recorder_->layers(config_, workload_, tables.operations);
    recorder_->allreduce(tables.sizes, 2);
    recorder_->calibration(tables.runs);
  }

  Folder folder_;
  Config config_;
  Workload workload_;
  Options options_;
  std::optional<Recorder> recorder_;
  double numbers_ = 0;
};

void add(Numbers& values, Numbers const& more) {
  values.insert(values.end(), more.begin(), more.end());
}

template <class Row>
void add_probes(Row& row, Row const& more) {
  add(row.probes.before, more.probes.before);
  add(row.probes.after, more.probes.after);
}

template <class Row>
void expect_equal_probes(Row const& one, Row const& other) {
  EXPECT_EQ(one.probes.before, other.probes.before);
  EXPECT_EQ(one.probes.after, other.probes.after);
}

void expect_equal(Recorder const& recorder, Tables const& tables) {
  const auto passes = recorder.passes();
  EXPECT_EQ(passes.ranks, tables.operations.ranks);
  EXPECT_EQ(passes.operations, tables.operations.operations);
  EXPECT_EQ(passes.samples, tables.operations.samples);
  EXPECT_EQ(passes.seconds, tables.operations.seconds);
  expect_equal_probes(passes, tables.operations);
  const auto sizes = recorder.sizes();
  ASSERT_EQ(sizes.size(), tables.sizes.size());
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    EXPECT_EQ(sizes[row].bytes, tables.sizes[row].bytes);
    EXPECT_EQ(sizes[row].wrong, tables.sizes[row].wrong);
    EXPECT_EQ(sizes[row].seconds, tables.sizes[row].seconds);
    expect_equal_probes(sizes[row], tables.sizes[row]);
  }
  const auto runs = recorder.runs();
  ASSERT_EQ(runs.size(), tables.runs.size());
  for (std::size_t row = 0; row < runs.size(); ++row) {
    EXPECT_EQ(runs[row].bytes, tables.runs[row].bytes);
    EXPECT_EQ(runs[row].calls, tables.runs[row].calls);
    EXPECT_EQ(runs[row].compute_alone, tables.runs[row].compute_alone);
    EXPECT_EQ(runs[row].compute_beside, tables.runs[row].compute_beside);
    EXPECT_EQ(runs[row].collective_alone, tables.runs[row].collective_alone);
    EXPECT_EQ(runs[row].collective_beside, tables.runs[row].collective_beside);
    expect_equal_probes(runs[row], tables.runs[row]);
  }
}

TEST_F(CalibrationRecorder, GivesBackNothingBeforeAnythingIsWritten) {
  expect_equal(*recorder_, {});
}

// Rows have different numbers of samples. The second call of write() gives most rows more samples.
TEST_F(CalibrationRecorder, GivesBackEverySampleBitForBit) {
  Tables tables{passes(2), {size(1000, 4), size(2000, 1), size(3000, 3)}, {run(1000, 1), run(2000, 3)}};
  write(tables);
  expect_equal(*recorder_, tables);
  tables = {passes(5), {size(1000, 6), size(2000, 2), size(3000, 9)}, {run(1000, 4), run(2000, 3)}};
  write(tables);
  expect_equal(*recorder_, tables);
}

// A size has no sample yet if a signal arrives in the first round.
TEST_F(CalibrationRecorder, GivesBackSizesWithoutSamples) {
  const Tables tables{passes(1), {size(1000, 0), size(2000, 0)}, {run(1000, 0)}};
  write(tables);
  expect_equal(*recorder_, tables);
}

TEST_F(CalibrationRecorder, GivesBackSamplesWithoutProbes) {
  Tables tables{passes(1), {size(1000, 2), size(2000, 1)}, {run(1000, 1)}};
  tables.operations.probes = tables.sizes[0].probes = tables.sizes[1].probes = tables.runs[0].probes = {};
  write(tables);
  expect_equal(*recorder_, tables);
}

TEST_F(CalibrationRecorder, GivesBackASampleWhoseProbeFailed) {
  Tables tables{passes(1), {size(1000, 2)}, {run(1000, 2)}};
  tables.sizes[0].probes.after[1] = tables.runs[0].probes.before[1] = unknown;
  write(tables);
  EXPECT_EQ(recorder_->sizes()[0].seconds, tables.sizes[0].seconds);
  EXPECT_EQ(recorder_->sizes()[0].probes.before, tables.sizes[0].probes.before);
  EXPECT_TRUE(std::isnan(recorder_->sizes()[0].probes.after.at(1)));
  EXPECT_TRUE(std::isnan(recorder_->runs()[0].probes.before.at(1)));
}

void expect_equal_handovers(Recorder const& recorder, SizeTimes const& times) {
  EXPECT_EQ(recorder.handovers().seconds, times.seconds);
  expect_equal_probes(recorder.handovers(), times);
}

TEST_F(CalibrationRecorder, GivesBackTheHandoversOfAllRounds) {
  recorder_->handovers({});
  recorder_->handover(0);
  expect_equal_handovers(*recorder_, {});
  EXPECT_FALSE(recorder_->reader().has("/calibration/handover"));
  for (const std::size_t samples : {12, 24, 36}) {
    const SizeTimes times{0, next(samples), 0, probes(samples)};
    recorder_->handovers(times);
    expect_equal_handovers(*recorder_, times);
  }
  recorder_->handover(3e-6);
  EXPECT_EQ(recorder_->reader().reals("/calibration/handover"), Numbers{3e-6});
}

TEST_F(CalibrationRecorder, GivesBackHandoversWhoseProbesAreUnknown) {
  SizeTimes times{0, next(2), 0, probes(2)};
  times.probes.after[0] = unknown;
  recorder_->handovers(times);
  EXPECT_EQ(recorder_->handovers().probes.before, times.probes.before);
  EXPECT_TRUE(std::isnan(recorder_->handovers().probes.after.at(0)));
  EXPECT_EQ(recorder_->handovers().probes.after.at(1), times.probes.after[1]);
}

TEST_F(CalibrationRecorder, GivesBackHandoversWithoutProbes) {
  const SizeTimes times{0, next(2), 0, {}};
  recorder_->handovers(times);
  expect_equal_handovers(*recorder_, times);
}

// Samples from after the sweep must be written to datasets of their own (later_seconds), and not also to
// those of the calibration.
TEST_F(CalibrationRecorder, GivesBackTheSamplesFromAfterTheSweepLast) {
  const Tables before{passes(2), {size(1000, 2), size(2000, 3)}, {run(1000, 2), run(2000, 1)}};
  const Tables more{passes(3), {size(1000, 0), size(2000, 4)}, {run(1000, 3), run(2000, 0)}};
  Tables all = before;
  append(all.operations, more.operations);
  for (std::size_t row = 0; row < 2; ++row) {
    add(all.sizes[row].seconds, more.sizes[row].seconds);
    add_probes(all.sizes[row], more.sizes[row]);
    for (auto times : {&ContentionSample::compute_alone, &ContentionSample::collective_alone,
                       &ContentionSample::compute_beside, &ContentionSample::collective_beside})
      add(all.runs[row].*times, more.runs[row].*times);
    add_probes(all.runs[row], more.runs[row]);
  }
  write(before);
  recorder_->later(behind(all, {recorder_->passes(), recorder_->sizes(), recorder_->runs()}));
  expect_equal(*recorder_, all);
  EXPECT_EQ(recorder_->reader().extents("/layers/seconds")[2], 2u);
  EXPECT_EQ(recorder_->reader().extents("/layers/later_seconds")[2], 3u);
  EXPECT_EQ(recorder_->reader().extents("/allreduce/later_seconds"), (std::vector<std::size_t>{2, 4}));
}

// After the calibration rank 0 drops the samples. It reads them back to measure the tables of another state.
TEST_F(CalibrationRecorder, GivesBackTheSamplesThatRankZeroDropped) {
  Tables tables{passes(2), {size(1000, 2), size(2000, 3)}, {run(1000, 2), run(2000, 1)}};
  tables.operations.last_pass = 0.5;
  tables.runs[1].repetitions = 7;
  write(tables);
  const Tables rest = without_samples(tables);
  EXPECT_TRUE(rest.operations.seconds.empty());
  EXPECT_TRUE(rest.sizes.at(1).seconds.empty());
  EXPECT_TRUE(rest.runs.at(1).compute_beside.empty());
  const Tables back = with_samples_of(rest, {recorder_->passes(), recorder_->sizes(), recorder_->runs()});
  EXPECT_EQ(back.operations.seconds, tables.operations.seconds);
  EXPECT_EQ(back.operations.last_pass, 0.5);
  EXPECT_EQ(back.sizes.at(1).seconds, tables.sizes[1].seconds);
  EXPECT_EQ(back.sizes.at(1).probes.after, tables.sizes[1].probes.after);
  EXPECT_EQ(back.runs.at(1).compute_beside, tables.runs[1].compute_beside);
  EXPECT_EQ(back.runs.at(1).repetitions, 7);
}

}  // namespace
}  // namespace ddproxy
