// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
// The recorder holds the only copy of the samples. What it gives back must be what was measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ctest/miniapp/input/input_file.hpp"
#include "ctest/miniapp/preset_cases.hpp"
#include "ctest/mpi_main.hpp"
#include "miniapp/app/record/recorder.hpp"
#include "miniapp/input/toml/read_config.hpp"
#include "miniapp/measure/calibration/planted_state.hpp"

namespace ddproxy {
namespace {

using results::Reader;

/// A sweep of two ranks whose results file has room for two rounds.
class SweepRecorder : public testing::Test {
 protected:
  void SetUp() override {
    if (!test_runtime->root()) return;  // rank 0 records
    config_ = read_config(folder_.file("input.toml",
                                       "[model]\npreset = \"tiny\"\n[allreduce]\nbackend = \"mpi\"\n"
                                       "[sweep]\nsamples = 2\n"));
    const auto workload = make_workload(config_);
    for (auto& item : preset_cases(config_, workload)) reports_.push_back({std::move(item), {}, {}, 0});
    options_.output = folder_.file("r.h5", "");
    recorder_.emplace(options_, config_);
    RankContext context{.config = config_, .runtime = *test_runtime, .workload = workload};
    context.probe = std::make_unique<PlantedState>(1);
    recorder_->plan(context, reports_, false, 0);
  }

  /// Returns a sample. No number is returned twice.
  Sample next_sample(std::size_t buckets) {
    const auto numbers = [&](std::size_t count) {
      std::vector<double> list(count);
      for (double& one : list) one = std::sqrt(++numbers_);
      return list;
    };
    const auto probe = [&] { return numbers(1).front(); };
    return {numbers(2), numbers(2), numbers(2), numbers(2), numbers(buckets),
            probe(),    probe(),    probe(),    probe()};
  }

  Sample take(std::size_t item, int round, int position) {
    Sample sample = next_sample(reports_[item].item.plan.size());
    sample.round = static_cast<std::size_t>(round);
    recorder_->sample(item, round, position, sample);
    return sample;
  }

  Folder folder_;
  Config config_;
  Options options_;
  std::vector<CaseReport> reports_;
  std::optional<Recorder> recorder_;
  double numbers_ = 0;
};

void expect_equal(Sample const& one, Sample const& other) {
  EXPECT_EQ(one.total, other.total);
  EXPECT_EQ(one.backward_end, other.backward_end);
  EXPECT_EQ(one.compute, other.compute);
  EXPECT_EQ(one.arrival, other.arrival);
  EXPECT_EQ(one.buckets_alone, other.buckets_alone);
  EXPECT_EQ(one.probe_before, other.probe_before);
  EXPECT_EQ(one.probe_after, other.probe_after);
  EXPECT_EQ(one.compute_probe_before, other.compute_probe_before);
  EXPECT_EQ(one.compute_probe_after, other.compute_probe_after);
  EXPECT_EQ(one.round, other.round);
}

// Cases have different numbers of buckets. The second case has no sample, as if --benchmark_filter left it
// out. The third case has its first sample in the second round. The file has room for two rounds, so it grows
// before the third round.
TEST_F(SweepRecorder, GivesBackEverySampleBitForBit) {
  if (!recorder_) return;
  EXPECT_TRUE(std::ranges::all_of(recorder_->samples(), &std::vector<Sample>::empty));
  std::vector<std::vector<Sample>> taken(reports_.size());
  int position = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 2) recorder_->grow_samples(3);
    for (std::size_t item = reports_.size(); item-- > 0;)
      if (item != 1 && (item != 2 || round > 0)) taken[item].push_back(take(item, round, position++));
  }
  const auto found = recorder_->samples();
  ASSERT_EQ(found.size(), taken.size());
  for (std::size_t item = 0; item < taken.size(); ++item) {
    ASSERT_EQ(found[item].size(), taken[item].size()) << item;
    for (std::size_t k = 0; k < taken[item].size(); ++k) expect_equal(found[item][k], taken[item][k]);
  }
}

TEST_F(SweepRecorder, StoresEachNumberAtItsPlace) {
  if (!recorder_) return;
  const std::size_t last = reports_.size() - 1, cases = reports_.size();
  const Sample flat = take(1, 0, 4), bucketed = take(last, 1, 7);
  const Reader file = recorder_->reader();
  EXPECT_EQ(file.reals("/sweep/measured")[(1 * 2 + 0) * 2 + 1], flat.total[1]);
  EXPECT_EQ(file.reals("/sweep/backward_end")[(last * 2 + 1) * 2], bucketed.backward_end[0]);
  EXPECT_EQ(file.reals("/sweep/compute_probe_after")[last * 2 + 1], bucketed.compute_probe_after);
  std::vector<std::int64_t> order(2 * cases, -1);
  order[1 * 2 + 0] = 4;
  order[last * 2 + 1] = 7;
  EXPECT_EQ(file.integers("/sweep/order"), order);
  const auto first = file.integers("/plans/first"), count = file.integers("/plans/count");
  const auto alone = file.reals("/sweep/bucket_alone");
  const auto all = file.extents("/plans/bytes")[0];
  ASSERT_EQ(file.extents("/sweep/bucket_alone"), (std::vector<std::size_t>{2, all}));
  ASSERT_GT(bucketed.buckets_alone.size(), 2U);
  ASSERT_EQ(count[last], std::ssize(bucketed.buckets_alone));
  for (std::size_t k = 0; k < bucketed.buckets_alone.size(); ++k)
    EXPECT_EQ(alone[all + static_cast<std::size_t>(first[last]) + k], bucketed.buckets_alone[k]);
  EXPECT_EQ(alone[static_cast<std::size_t>(first[1])], flat.buckets_alone.at(0));
  EXPECT_EQ(std::ranges::count_if(alone, [](double each) { return !std::isnan(each); }), 1 + count[last]);
}

// If a case has another number of all-reduces than of buckets, the file keeps only the sum of their times.
TEST_F(SweepRecorder, KeepsTheSumOfAllReducesIfTheirNumberIsUnexpected) {
  if (!recorder_) return;
  const Sample sample = next_sample(reports_[0].item.plan.size() + 1);
  recorder_->sample(0, 0, 0, sample);
  const Sample other = take(1, 0, 1);
  const auto found = recorder_->samples();
  EXPECT_EQ(found[0].at(0).buckets_alone, std::vector{sample.communication_alone()});
  expect_equal(found[1].at(0), other);
}

TEST_F(SweepRecorder, GivesBackASampleWithoutAllReducesAndProbes) {
  if (!recorder_) return;
  recorder_->sample(0, 0, 0, {{1, 2}, {1, 2}, {1, 2}, {0, 0}});
  const Sample found = recorder_->samples()[0].at(0);
  EXPECT_EQ(found.total, (std::vector{1.0, 2.0}));
  EXPECT_TRUE(found.buckets_alone.empty());
  EXPECT_TRUE(std::isnan(found.probe_before) && std::isnan(found.probe_after));
  EXPECT_TRUE(std::isnan(found.compute_probe_before) && std::isnan(found.compute_probe_after));
}

TEST_F(SweepRecorder, GivesBackTheSamplesOfSteps) {
  if (!recorder_) return;
  EXPECT_TRUE(recorder_->step_samples().empty());
  recorder_->reserve_step_samples(3);
  const StepSample one{{1, 2, 3, 4, 5, 6, 7, 28, 0.5}, 9}, two{{10, 20, 30, 40, 50, 60, 70, 280, 5}, 90};
  recorder_->step_sample(0, one);
  recorder_->step_sample(1, two);
  const auto found = recorder_->step_samples();
  ASSERT_EQ(found.size(), 2U);
  for (auto const& [sample, other] : {std::pair(one, found[0]), std::pair(two, found[1])}) {
    EXPECT_EQ(step_part_seconds(sample), step_part_seconds(other));
    EXPECT_EQ(sample.alone, other.alone);
    EXPECT_EQ(sample.phases.host_waits, other.phases.host_waits);
  }
}

}  // namespace
}  // namespace ddproxy
