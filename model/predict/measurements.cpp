// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/measurements.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/statistics/quantile.hpp"

namespace ddproxy::model {
namespace {

using Pass = std::vector<std::vector<double>>;  // seconds [rank][operation]

void check(Measurements const& measurements) {
  if (measurements.operations.empty() || measurements.operations[0].empty() ||
      measurements.operations[0][0].empty()) {
    throw std::invalid_argument("measurements: there is no sample of the operations' times");
  }
  const std::size_t operations = measurements.operations[0][0].size();
  for (Pass const& pass : measurements.operations) {
    for (auto const& rank : pass) {
      if (pass.size() == measurements.operations[0].size() && rank.size() == operations) continue;
      throw std::invalid_argument("measurements: the samples differ in their number of ranks or operations");
    }
  }
  for (const std::size_t operation : measurements.gradient_operation) {
    if (operation >= operations)
      throw std::invalid_argument("measurements: a gradient belongs to no operation");
  }
  if (measurements.gradient_operation.size() != measurements.gradient_bytes.size()) {
    throw std::invalid_argument(
        "measurements: the number of gradient sizes differs from the number of gradient operations");
  }
  const bool sampled = std::none_of(measurements.allreduce.begin(), measurements.allreduce.end(),
                                    [](auto const& s) { return s.empty(); });
  if (measurements.sizes.size() != measurements.allreduce.size() || !sampled) {
    throw std::invalid_argument("measurements: every size of the all-reduce table needs samples");
  }
}

/// Returns the latest end of each operation over all ranks, in seconds from the start of the pass.
std::vector<double> latest_ends(Pass const& pass) {
  std::vector<double> latest(pass[0].size(), 0.0);
  for (auto const& rank : pass) {
    double end = 0;
    for (std::size_t k = 0; k < rank.size(); ++k) latest[k] = std::max(latest[k], end += rank[k]);
  }
  return latest;
}

std::vector<double> ends_with_jitter(std::vector<Pass> const& passes) {
  std::vector<std::vector<double>> ends;
  for (Pass const& pass : passes) ends.push_back(latest_ends(pass));
  std::vector<double> result;
  for (std::size_t k = 0; k < ends[0].size(); ++k) {
    std::vector<double> samples;
    for (auto const& sample : ends) samples.push_back(sample[k]);
    result.push_back(median(samples));
  }
  return result;
}

std::vector<double> ends_without_jitter(std::vector<Pass> const& passes) {
  std::vector<double> result;
  double end = 0;
  for (std::size_t k = 0; k < passes[0][0].size(); ++k) {
    std::vector<double> samples;
    for (Pass const& pass : passes) {
      for (auto const& rank : pass) samples.push_back(rank[k]);
    }
    result.push_back(end += median(samples));
  }
  return result;
}

TableCost cost_of(Measurements const& measurements) {
  std::vector<CostPoint> table;
  for (std::size_t i = 0; i < measurements.sizes.size(); ++i)
    table.push_back({measurements.sizes[i], median(measurements.allreduce[i])});
  return TableCost(std::move(table));
}

}  // namespace

Job job_from(Measurements const& measurements, Jitter jitter) {
  check(measurements);
  const bool latest = jitter == Jitter::included;
  const auto ends = (latest ? ends_with_jitter : ends_without_jitter)(measurements.operations);
  Job job;
  job.t_compute = ends.back();
  for (const std::size_t operation : measurements.gradient_operation) job.ready.push_back(ends[operation]);
  job.gradient_bytes = measurements.gradient_bytes;
  job.cost = cost_of(measurements);
  job.contention = contention_of(measurements.contention);
  job.copies = measurements.copies;
  job.handover = measurements.handover;
  return job;
}

}  // namespace ddproxy::model
