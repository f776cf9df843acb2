// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/closed_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "model/predict/timeline.hpp"

namespace ddproxy::model {
namespace {

constexpr double s = 1e9;
constexpr double w = 1e10;
constexpr double o = 2e-4;

UniformJob job_of_load(double load) {
  return {s, o, w, s / w / load};
}

/// Returns E, in seconds, with equal buckets of `bucket_bytes` bytes. If a call takes no longer than the time
/// between two buckets, only the last call is exposed. If it takes longer, the calls follow each other
/// without gaps.
double uniform_exposed(UniformJob const& job, double bucket_bytes) {
  const double buckets = job.bytes / bucket_bytes;
  const double interval = job.t_compute / buckets;
  const double call = job.call_seconds + bucket_bytes / job.bandwidth;
  if (call <= interval) return call;
  return interval + buckets * call - job.t_compute;
}

/// Simulates the job with this number of equal buckets, and returns E.
double simulated(UniformJob const& job, int buckets) {
  Job discrete;
  discrete.t_compute = job.t_compute;
  for (int k = 1; k <= buckets; ++k) {
    discrete.ready.push_back(job.t_compute * k / buckets);
    discrete.gradient_bytes.push_back(static_cast<std::int64_t>(job.bytes / buckets));
  }
  discrete.cost = AlphaBeta{job.call_seconds, job.bandwidth};
  return simulate(discrete, per_tensor_plan(discrete.gradient_bytes)).total - job.t_compute;
}

TEST(ClosedForm, EqualsTheSimulationOfEqualBuckets) {
  for (const double load : {0.2, 0.7, 0.95, 1.0, 1.3, 4.0}) {
    for (const int buckets : {1, 2, 5, 10, 50, 200, 1000}) {
      const UniformJob job = job_of_load(load);
      EXPECT_NEAR(uniform_exposed(job, s / buckets), simulated(job, buckets), 1e-9)
          << load << ", " << buckets;
    }
  }
}

TEST(ClosedForm, LoadDeterminesTheRegime) {
  EXPECT_EQ(regime(job_of_load(0.5)), Regime::compute_bound);
  for (const double load : {0.96, 1.0, 1.04}) EXPECT_EQ(regime(job_of_load(load)), Regime::balanced) << load;
  EXPECT_EQ(regime(job_of_load(2)), Regime::network_bound);
}

TEST(ClosedForm, TheBestBucketFollowsTheSquareRootLawAtBalance) {
  EXPECT_NEAR(uniform_best_bucket(job_of_load(1)), std::sqrt(s * o * w), 1e-3);
}

TEST(ClosedForm, NoBucketExposesLessThanTheBestBucket) {
  for (const double load : {0.05, 0.2, 0.5, 0.9, 0.99, 1.0, 1.5, 10.0}) {
    const UniformJob job = job_of_load(load);
    const double least = uniform_exposed(job, uniform_best_bucket(job));
    for (double bucket = s; bucket > s / 1e5; bucket /= 1.01) {
      EXPECT_GE(uniform_exposed(job, bucket), least * (1 - 1e-9)) << load << ", " << bucket;
    }
  }
}

TEST(ClosedForm, TheBestBucketIsNeverLargerThanAllGradients) {
  const UniformJob slow_calls{s, 1.0, w, 0.1};
  EXPECT_EQ(uniform_best_bucket(slow_calls), s);
}

TEST(ClosedForm, RefusesCallsThatTakeNoTime) {
  EXPECT_THROW(uniform_best_bucket({s, 0, w, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace ddproxy::model
