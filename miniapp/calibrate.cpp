// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "planner/statistics.hpp"

namespace ddproxy {
namespace {

constexpr double target_seconds = 0.05;  // of compute in a co-run
constexpr std::int64_t largest_message = 64 << 20;
constexpr int most_repetitions = 100000;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a co-run consists of: operations, how often, and the part of the arena that they do not write.
struct Work {
  std::vector<std::size_t> operations;
  int repetitions = 1;
  std::size_t free_offset = 0;
  std::vector<Slice> calls;
};

Work choose_work(Workload const& workload) {
  Work work;
  auto const& operations = workload.pass.operations;
  for (std::size_t op = 0; op < operations.size(); ++op) {
    if (operations[op].kind != model::OperationKind::linear) continue;
    if (!work.operations.empty() && operations[op].layer != operations[work.operations.front()].layer) break;
    work.operations.push_back(op);
  }
  for (auto const& gradient : workload.pass.gradients) {
    if (gradient.operation > work.operations.back()) break;
    work.free_offset += static_cast<std::size_t>(gradient.numel);
  }
  return work;
}

void compute(Workbench& bench, Work const& work) {
  for (int i = 0; i < work.repetitions; ++i)
    for (std::size_t op : work.operations) {
      bench.backward->run(op);
      bench.allreduce->progress();
    }
  bench.backward->fence();
}

struct Times {
  double compute = 0, collective = 0;
};

Times time_together(Workbench& bench, Work const& work, bool with_compute, bool with_collective) {
  bench.allreduce->begin(work.calls.size());
  bench.runtime.barrier();
  const auto start = Clock::now();
  Times times;
  if (with_collective)
    for (auto const& slice : work.calls) bench.allreduce->start(slice, {start});
  if (with_compute) compute(bench, work);
  times.compute = since(start);
  bench.allreduce->wait_all();
  if (with_collective)
    times.collective =
        std::chrono::duration<double>(bench.allreduce->reductions().back().end - start).count();
  return {bench.runtime.maximum(times.compute), bench.runtime.maximum(times.collective)};
}

// As many calls as take about as long as the compute beside them.
void choose_calls(Workbench& bench, Work& work, std::size_t elements) {
  work.calls.assign(1, {work.free_offset, elements});
  const double once = time_together(bench, work, false, true).collective;
  const auto calls = std::clamp(target_seconds / once, 1.0, static_cast<double>(most_repetitions));
  work.calls.assign(static_cast<std::size_t>(calls), {work.free_offset, elements});
}

CoRun co_run(Workbench& bench, Work& work, std::size_t elements, int samples) {
  choose_calls(bench, work, elements);
  CoRun run;
  run.bytes = static_cast<std::int64_t>(elements * sizeof(float));
  for (int i = 0; i < samples; ++i) {
    run.compute_alone.push_back(time_together(bench, work, true, false).compute);
    run.collective_alone.push_back(time_together(bench, work, false, true).collective);
    const auto together = time_together(bench, work, true, true);
    run.compute_beside.push_back(together.compute);
    run.collective_beside.push_back(together.collective);
  }
  return run;
}

double within(double speed) {
  return std::clamp(speed, 0.01, 1.0);
}

}  // namespace

model::Contention contention_of(double compute_alone, double collective_alone, double compute_beside,
                                double collective_beside) {
  const double together = std::min(compute_beside, collective_beside);
  const double compute_rest = compute_beside - together, collective_rest = collective_beside - together;
  return {within((compute_alone - compute_rest) / together),
          within((collective_alone - collective_rest) / together)};
}

model::Contention contention_of(CoRun const& run) {
  std::vector<double> kappa, gamma;
  for (std::size_t i = 0; i < run.compute_alone.size(); ++i) {
    const auto sample = contention_of(run.compute_alone[i], run.collective_alone[i], run.compute_beside[i],
                                      run.collective_beside[i]);
    kappa.push_back(sample.kappa);
    gamma.push_back(sample.gamma);
  }
  return {median(kappa), median(gamma)};
}

std::vector<CoRun> calibrate(Workbench& bench, int samples) {
  if (bench.config.compute == ComputeMode::replay) return {};
  Work work = choose_work(bench.workload);
  compute(bench, work);
  const double once = time_together(bench, work, true, false).compute;
  work.repetitions = std::clamp(static_cast<int>(target_seconds / once), 1, most_repetitions);
  const auto free =
      static_cast<std::int64_t>(bench.arena.extent(0) - work.free_offset) * gradient_element_bytes;
  const auto largest = std::min(largest_message, free);
  std::vector<CoRun> runs;
  for (std::int64_t bytes : {largest / 64, largest / 8, largest})
    runs.push_back(co_run(bench, work, static_cast<std::size_t>(bytes / gradient_element_bytes), samples));
  return runs;
}

double measure_copy_bandwidth(Workbench& bench, int samples) {
  const Slice slice{0, std::min<std::size_t>(bench.arena.extent(0), 1 << 24)};
  std::vector<double> seconds;
  for (int i = 0; i <= samples; ++i) {  // the first one touches the memory
    bench.runtime.barrier();
    const auto start = Clock::now();
    bench.copying->take_back(slice, {start});
    bench.copying->fence();
    if (const double took = bench.runtime.maximum(since(start)); i > 0) seconds.push_back(took);
  }
  return static_cast<double>(slice.count * sizeof(float)) / median(seconds);
}

}  // namespace ddproxy
