// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "heap.hpp"
#include "jobs.hpp"
#include "model/predict/best_plan.hpp"

namespace ddproxy::model {
namespace {

// The test compares the memory for n and for 4 n gradients. A ratio up to this value counts as linear growth.
// The ratio of quadratic growth is 16.
constexpr double linear = 4.4;

double growth(double slower, bool contended, void (*run)(Job const&)) {
  double peaks[2];
  for (const int k : {0, 1}) {
    Job job = large_job(slower, k == 0 ? 4 : 16);
    if (contended) job.contention = large_contention();
    peaks[k] = static_cast<double>(heap_peak([&] { run(job); }));
  }
  return peaks[1] / peaks[0];
}

TEST(Memory, OfTheOptimalPlanGrowsLinearlyWithTheGradients) {
  for (const double slower : {1.0, 100.0})
    for (const bool contended : {false, true})
      EXPECT_LE(growth(slower, contended, [](Job const& job) { optimal_plan(job); }), linear) << slower;
}

TEST(Memory, OfAPlanAndItsTimelineGrowsLinearlyWithTheGradients) {
  EXPECT_LE(growth(1, true, [](Job const& job) { simulate(job, per_tensor_plan(job.gradient_bytes)); }),
            linear);
}

TEST(Memory, MeasurementDetectsQuadraticGrowth) {
  const auto square = [](Job const& job) {
    const std::vector<char> all(job.ready.size() * job.ready.size());
    [[maybe_unused]] char const* volatile seen = all.data();  // so that the compiler keeps the array
  };
  EXPECT_GT(growth(1, false, square), 2 * linear);
}

}  // namespace
}  // namespace ddproxy::model
