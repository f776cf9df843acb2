// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict/measurements.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/statistics/quantile.hpp"

namespace ddproxy::model {
namespace {

using Pass = std::vector<std::vector<double>>;  // seconds [rank][operation]

void check(Measurements const& evidence) {
  if (evidence.operations.empty() || evidence.operations[0].empty() || evidence.operations[0][0].empty()) {
    throw std::invalid_argument("evidence: there is no sample of the operations' times");
  }
  const std::size_t operations = evidence.operations[0][0].size();
  for (Pass const& pass : evidence.operations) {
    for (auto const& rank : pass) {
      if (pass.size() == evidence.operations[0].size() && rank.size() == operations) continue;
      throw std::invalid_argument("evidence: the samples differ in their number of ranks or operations");
    }
  }
  for (const std::size_t operation : evidence.gradient_operation) {
    if (operation >= operations) throw std::invalid_argument("evidence: a gradient belongs to no operation");
  }
  if (evidence.gradient_operation.size() != evidence.gradient_bytes.size()) {
    throw std::invalid_argument("evidence: operations and bytes of the gradients differ in number");
  }
  const bool sampled = std::none_of(evidence.allreduce.begin(), evidence.allreduce.end(),
                                    [](auto const& s) { return s.empty(); });
  if (evidence.sizes.size() != evidence.allreduce.size() || !sampled) {
    throw std::invalid_argument("evidence: every size of the all-reduce table needs samples");
  }
}

/// When each operation ends: of the latest rank.
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

TableCost cost_of(Measurements const& evidence) {
  std::vector<CostPoint> table;
  for (std::size_t i = 0; i < evidence.sizes.size(); ++i)
    table.push_back({evidence.sizes[i], median(evidence.allreduce[i])});
  return TableCost(std::move(table));
}

}  // namespace

Job job_from(Measurements const& evidence, Jitter jitter) {
  check(evidence);
  const bool latest = jitter == Jitter::included;
  const auto ends = (latest ? ends_with_jitter : ends_without_jitter)(evidence.operations);
  Job job;
  job.t_compute = ends.back();
  for (const std::size_t operation : evidence.gradient_operation) job.ready.push_back(ends[operation]);
  job.gradient_bytes = evidence.gradient_bytes;
  job.cost = cost_of(evidence);
  job.contention = contention_of(evidence.contention);
  job.copies = evidence.copies;
  return job;
}

}  // namespace ddproxy::model
