// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <utility>

#include "miniapp/device/device.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/statistics/quantile.hpp"

namespace ddproxy {
namespace {

constexpr double short_pass_s = 0.05;

std::vector<double> time_operations(RankContext& context) {
  auto& backward = *context.backward;
  std::vector<Completion> ends;
  ends.reserve(backward.operations() + 1);
  synchronise_clocks();
  context.runtime.barrier();
  const auto limit = context.runtime.limited_on_device();
  backward.begin();
  ends.push_back(backward.completion());
  for (std::size_t op = 0; op < backward.operations(); ++op) {
    backward.run(op);
    ends.push_back(backward.completion());
  }
  backward.fence();
  std::vector<double> seconds;
  for (std::size_t op = 0; op < backward.operations(); ++op)
    seconds.push_back(seconds_between(moment_of(ends[op]), moment_of(ends[op + 1])));
  return seconds;
}

}  // namespace

OperationTimes measure_operations(RankContext& context, int samples) {
  OperationTimes times;
  add_passes(context, times, samples);
  return times;
}

void add_passes(RankContext& context, OperationTimes& times, int passes) {
  if (passes == 0) return;
  if (context.config.compute == ComputeMode::replay) {  // the times are known
    times = {1, context.backward->operations(), 1, context.workload.operation_seconds};
    return;
  }
  const auto ranks = static_cast<std::size_t>(context.runtime.ranks());
  if (times.samples == 0 || times.last_pass < short_pass_s) time_operations(context);
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<double> mine;
    probed(context.probe.get(), times.probes, [&] { mine = time_operations(context); });
    times.last_pass = context.runtime.maximum(std::accumulate(mine.begin(), mine.end(), 0.0));
    append(times, {ranks, mine.size(), 1, context.runtime.gather(mine)});
  }
}

void append(OperationTimes& times, OperationTimes const& more) {
  std::vector<double> seconds;
  seconds.reserve(times.seconds.size() + more.seconds.size());
  const auto add_row = [&](OperationTimes const& from, std::size_t row) {
    const auto first = from.seconds.begin() + static_cast<std::ptrdiff_t>(row * from.samples);
    seconds.insert(seconds.end(), first, first + static_cast<std::ptrdiff_t>(from.samples));
  };
  const std::size_t rows = more.seconds.empty() ? 0 : more.ranks * more.operations;
  for (std::size_t row = 0; row < rows; ++row) {
    add_row(times, row);
    add_row(more, row);
  }
  times.ranks = more.ranks;
  times.operations = more.operations;
  times.samples += more.samples;
  times.seconds = std::move(seconds);
  for (auto probes : {&model::Probes::before, &model::Probes::after})
    (times.probes.*probes)
        .insert((times.probes.*probes).end(), (more.probes.*probes).begin(), (more.probes.*probes).end());
}

OperationTimes with_samples(OperationTimes times, std::vector<std::size_t> const& samples) {
  const auto all = std::exchange(times.seconds, {});
  const std::size_t before = std::exchange(times.samples, samples.size());
  for (std::size_t row = 0; row < all.size(); row += before)
    for (const std::size_t sample : samples) times.seconds.push_back(all[row + sample]);
  for (auto* probes : {&times.probes.before, &times.probes.after}) {
    const auto known = std::exchange(*probes, {});
    for (const std::size_t sample : samples)
      if (sample < known.size()) probes->push_back(known[sample]);
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
