// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "miniapp/device/device.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

std::vector<double> time_operations(RankContext& context) {
  auto& backward = *context.backward;
  std::vector<Completion> ends;
  ends.reserve(backward.operations() + 1);
  synchronise_clocks();
  context.runtime.barrier();
  backward.begin();
  ends.push_back(backward.completion());
  for (std::size_t op = 0; op < backward.operations(); ++op) {
    backward.run(op);
    ends.push_back(backward.completion());
  }
  backward.fence();
  std::vector<double> seconds;
  for (std::size_t op = 0; op < backward.operations(); ++op)
    seconds.push_back(std::chrono::duration<double>(moment_of(ends[op + 1]) - moment_of(ends[op])).count());
  return seconds;
}

}  // namespace

OperationTimes measure_layers(RankContext& context, int samples) {
  auto const& runtime = context.runtime;
  OperationTimes times{static_cast<std::size_t>(runtime.ranks()), context.backward->operations(), 0, {}};
  if (context.config.compute == ComputeMode::replay) {  // known, not measured
    times.samples = 1;
    times.seconds = context.workload.operation_seconds;
    times.ranks = 1;
    return times;
  }
  times.samples = static_cast<std::size_t>(samples);
  times.seconds.resize(runtime.root() ? times.ranks * times.operations * times.samples : 0);
  time_operations(context);
  for (std::size_t sample = 0; sample < times.samples; ++sample) {
    const auto all = runtime.gather(time_operations(context));
    for (std::size_t i = 0; i < all.size(); ++i) times.seconds[i * times.samples + sample] = all[i];
  }
  return times;
}

std::vector<std::vector<double>> OperationTimes::medians() const {
  std::vector<std::vector<double>> result(ranks, std::vector<double>(operations));
  for (std::size_t i = 0; i < ranks * operations; ++i) {
    auto const* first = seconds.data() + i * samples;
    result[i / operations][i % operations] = model::median({first, first + samples});
  }
  return result;
}

ReadyTimes slowest_ready(Workload const& workload, OperationTimes const& times) {
  ReadyTimes slowest;
  slowest.ready.resize(workload.pass.gradients.size());
  for (auto const& seconds : times.medians()) {
    const auto ready = ready_times(workload.pass, seconds);
    double end = 0;
    for (double s : seconds) end += s;
    slowest.t_compute = std::max(slowest.t_compute, end);
    for (std::size_t i = 0; i < ready.size(); ++i) slowest.ready[i] = std::max(slowest.ready[i], ready[i]);
  }
  return slowest;
}

}  // namespace ddproxy
