// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/collect_measurements.hpp"

namespace ddproxy {
namespace {

// Converts times from [rank, operation, sample] to [sample][rank][operation].
std::vector<std::vector<std::vector<double>>> by_sample(OperationTimes const& times) {
  std::vector<std::vector<std::vector<double>>> result(
      times.samples, std::vector<std::vector<double>>(times.ranks, std::vector<double>(times.operations)));
  for (std::size_t i = 0; i < times.seconds.size(); ++i) {
    const std::size_t sample = i % times.samples, operation = i / times.samples % times.operations;
    result[sample][i / times.samples / times.operations][operation] = times.seconds[i];
  }
  return result;
}

}  // namespace

model::Measurements collect_measurements(RankContext const& context, OperationTimes const& operations,
                                         std::vector<SizeTimes> const& allreduce,
                                         model::TableCost const* known) {
  model::Measurements measurements;
  measurements.operations = by_sample(operations);
  for (auto const& gradient : context.workload.pass.gradients)
    measurements.gradient_operation.push_back(gradient.operation);
  measurements.gradient_bytes = context.workload.gradient_bytes;
  if (known)
    for (auto const& [bytes, seconds] : known->table()) {
      measurements.sizes.push_back(gradient_bytes(bytes, context.workload.wire));
      measurements.allreduce.push_back({seconds});
    }
  else
    for (auto const& size : allreduce) {
      measurements.sizes.push_back(gradient_bytes(size.bytes, context.workload.wire));
      measurements.allreduce.push_back(size.seconds);
    }
  return measurements;
}

}  // namespace ddproxy
