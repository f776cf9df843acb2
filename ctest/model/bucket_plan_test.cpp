// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/step/bucket_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "model/text/csv_table.hpp"
#include "published.hpp"

namespace ddproxy::model {
namespace {

using Bytes = std::vector<std::int64_t>;

std::vector<std::int64_t> sizes(Plan const& plan) {
  std::vector<std::int64_t> bytes;
  for (Bucket const& bucket : plan) bytes.push_back(bucket.bytes);
  return bytes;
}

TEST(BucketPlan, ClosesABucketWhenItsBytesReachTheLimit) {
  const Bytes gradients{4, 6, 3, 3, 3, 2};
  EXPECT_EQ(bucketed_plan(gradients, Bytes{10}), (Plan{{0, 1, 10, 0}, {2, 5, 11, 10}}));
  EXPECT_EQ(bucketed_plan(gradients, Bytes{9}), (Plan{{0, 1, 10, 0}, {2, 4, 9, 10}, {5, 5, 2, 19}}));
}

TEST(BucketPlan, AGradientAboveTheLimitJoinsTheOpenBucket) {
  EXPECT_EQ(bucketed_plan(Bytes{1, 100, 1}, Bytes{10}), (Plan{{0, 1, 101, 0}, {2, 2, 1, 101}}));
}

TEST(BucketPlan, EachBucketHasItsOwnLimitAndTheLastLimitRepeats) {
  EXPECT_EQ(sizes(bucketed_plan(Bytes{1, 1, 1, 1, 1, 1, 1, 1}, Bytes{1, 3, 2})), (Bytes{1, 3, 2, 2}));
}

TEST(BucketPlan, RefusesCapsThatAreNotPositive) {
  EXPECT_THROW(bucketed_plan(Bytes{1}, Bytes{}), std::invalid_argument);
  EXPECT_THROW(bucketed_plan(Bytes{1}, Bytes{4, 0}), std::invalid_argument);
}

TEST(BucketPlan, TheFlatPlanHasOneBucketAndThePerTensorPlanOneForEachGradient) {
  EXPECT_EQ(flat_plan(Bytes{1, 2, 3}), (Plan{{0, 2, 6, 0}}));
  EXPECT_EQ(per_tensor_plan(Bytes{1, 2}), (Plan{{0, 0, 1, 0}, {1, 1, 2, 1}}));
  EXPECT_TRUE(flat_plan(Bytes{}).empty());
}

TEST(BucketPlan, PlanEndingAtTakesTheLastGradientOfEachBucket) {
  EXPECT_EQ(plan_ending_at(Bytes{1, 2, 3, 4}, std::vector<std::size_t>{0, 3}),
            (Plan{{0, 0, 1, 0}, {1, 3, 9, 1}}));
  EXPECT_THROW(plan_ending_at(Bytes{1, 2, 3}, std::vector<std::size_t>{0, 1}), std::invalid_argument);
  EXPECT_THROW(plan_ending_at(Bytes{1, 2, 3}, std::vector<std::size_t>{1, 1, 2}), std::invalid_argument);
  EXPECT_THROW(plan_ending_at(Bytes{1, 2, 3}, std::vector<std::size_t>{3}), std::invalid_argument);
}

TEST(BucketPlan, TheSliceOfABucketCoversExactlyItsGradients) {
  const TensorLayout gradients = backward_pass(find_preset("tiny")).gradients;
  const Bytes bytes = gradients.bytes();
  const std::vector<std::size_t> ends{1, 7, gradients.size() - 1};
  for (Plan const& plan : {flat_plan(bytes), per_tensor_plan(bytes), bucketed_plan(bytes, Bytes{30000}),
                           plan_ending_at(bytes, ends)}) {
    ASSERT_FALSE(plan.empty());
    for (Bucket const& bucket : plan) {
      const std::size_t first = gradients[bucket.first].offset;
      EXPECT_EQ(bucket.slice(), (Slice{first, gradients[bucket.last].slice().end() - first}));
    }
  }
}

TEST(BucketPlan, Gpt2LargeHasTheExpectedNumberOfBucketsForEachCap) {
  const Bytes bytes = gradient_bytes(backward_pass(find_preset("gpt2-large")));
  const std::map<int, std::size_t> expected{{1, 146}, {2, 146}, {4, 146},  {8, 109},  {16, 109}, {25, 109},
                                            {32, 55}, {64, 37}, {128, 19}, {256, 11}, {512, 6},  {1024, 3}};
  for (auto const& [cap, buckets] : expected) {
    EXPECT_EQ(bucketed_plan(bytes, Bytes{mib(cap)}).size(), buckets) << cap << " MiB";
  }
}

TEST(BucketPlan, Gpt2LargeHasOneMoreBucketIfTheFirstCapIsOneMib) {
  const Bytes bytes = gradient_bytes(backward_pass(find_preset("gpt2-large")));
  const std::map<int, std::size_t> expected{{128, 20}, {256, 12}, {512, 7}, {1024, 4}};
  for (auto const& [cap, buckets] : expected) {
    EXPECT_EQ(bucketed_plan(bytes, Bytes{mib(1), mib(cap)}).size(), buckets) << cap << " MiB";
  }
}

TEST(BucketPlan, PlansForTwoT4sHaveThePublishedNumberOfCalls) {
  const Bytes bytes = gradient_bytes(backward_pass(cs336_shape(24, 1024, 16, 4096)));
  const CsvTable table(published("ddp-medium-2xt4.csv"));
  int bucketed = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "strategy") != "bucketed") continue;
    const Plan plan = bucketed_plan(bytes, Bytes{mib(table.number(row, "bucket_mb"))});
    EXPECT_EQ(10 * plan.size(), static_cast<std::size_t>(table.integer(row, "calls"))) << "row " << row;
    ++bucketed;
  }
  EXPECT_EQ(bucketed, 4);
}

}  // namespace
}  // namespace ddproxy::model
