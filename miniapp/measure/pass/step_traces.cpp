// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/pass/step_traces.hpp"

#include <algorithm>

namespace ddproxy {
namespace {

constexpr std::size_t values_of_task = 3;

std::vector<double> flatten(model::StepTrace const& trace) {
  std::vector<double> values;
  values.reserve(values_of_task * trace.tasks.size());
  for (auto const& [ready, start, end] : trace.tasks) values.insert(values.end(), {ready, start, end});
  return values;
}

}  // namespace

model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::span<const CallsOfLane> calls) {
  const auto from_start = [&](Clock::time_point moment) { return seconds_between(times.start, moment); };
  model::StepTrace trace;
  double compute_free = 0;  // when the previous task of the compute lane ended
  for (std::size_t i = 0; i < step.launches().size(); ++i) {
    Launch const& launch = step.launches()[i];
    if (launch.kind == Launch::Kind::collective) {
      FinishedCall const& one = calls[launch.lane]->at(launch.first);
      trace.tasks.push_back({from_start(one.ready), from_start(one.start), from_start(one.end)});
      continue;
    }
    double start = compute_free;
    for (auto const& wait : launch.waits)
      start = std::max(start, from_start(calls[wait.lane]->at(wait.number).end));
    compute_free = std::max(start, from_start(moment_of(step.ends()[i])));
    trace.tasks.push_back({start, start, compute_free});
  }
  return trace;
}

model::StepTrace trace_of(StepTimes const& times, CompiledStep const& step,
                          std::vector<FinishedCall> const& calls) {
  const CallsOfLane one = &calls;
  return trace_of(times, step, {&one, 1});
}

std::vector<model::StepTrace> gather_traces(Runtime const& runtime, model::StepTrace const& mine) {
  const std::size_t length = values_of_task * mine.tasks.size();
  std::vector<model::StepTrace> traces;
  if (length == 0) return traces;
  const auto all = runtime.gather(flatten(mine));
  for (std::size_t at = 0; at < all.size(); at += length) {
    model::StepTrace trace;
    for (std::size_t k = at; k < at + length; k += values_of_task)
      trace.tasks.push_back({all[k], all[k + 1], all[k + 2]});
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace ddproxy
