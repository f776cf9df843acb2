// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/step/step_calibration.hpp"

#include "miniapp/measure/calibration/rounds.hpp"

namespace ddproxy {
namespace {

std::vector<std::int64_t> sizes_of(StepContext const& context) {
  auto const& workload = context.rank.workload;
  std::vector<std::int64_t> buckets;
  for (auto const& call : context.step->collectives())
    buckets.push_back(
        wire_bytes(static_cast<std::int64_t>(call.assigned.count) * gradient_element_bytes, workload.wire));
  return with_bucket_sizes(message_sizes(wire_bytes(workload.bytes(), workload.wire)), buckets);
}

}  // namespace

StepTables calibrate_step(StepContext& context) {
  const int samples = context.rank.config.samples, rounds = calibration_rounds(samples);
  const auto sizes = context.rank.reduces() ? sizes_of(context) : std::vector<std::int64_t>{};
  CollectiveRounds table(context.rank, sizes);
  ContentionRounds contention(context.rank, samples);
  for (int round = 0; round < rounds; ++round) {
    table.take(round, rounds);
    contention.take(round, rounds);
  }
  return {table.times(), contention.runs()};
}

}  // namespace ddproxy
