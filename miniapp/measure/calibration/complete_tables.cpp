// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/complete_tables.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"

namespace ddproxy {
namespace {

using model::MachineStates;

constexpr std::chrono::milliseconds pause{10};

void add_sample(RankContext& context, OperationTimes& operations) {
  add_passes(context, operations, 1);
}

template <class Rows>
bool complete(MachineStates const& states, std::size_t state, Rows const& rows) {
  return std::ranges::none_of(rows, [&](auto const& row) { return lacks_samples(states, state, row); });
}

// Probes the machine and takes one sample of each row that lacks samples in the present state of the machine.
// If no row lacks samples, or if the state is unknown, sleeps for a while instead.
template <class Rows>
void measure_now(RankContext& context, MachineStates const& states, Rows& rows) {
  const auto now = states.state_of(context.probe_state());
  if (!now || complete(states, *now, rows)) return std::this_thread::sleep_for(pause);
  for (auto& row : rows)
    if (lacks_samples(states, *now, row)) add_sample(context, row);
}

// Measures until all rows have enough samples in the wanted state, until `limit_s` seconds have passed, or
// until a signal arrives. Before each measurement, calls find_states() for the states of the machine, and
// wanted(states) for the index of the wanted state.
template <class Rows, class FindStates, class Wanted>
void go_on(RankContext& context, Rows& rows, double limit_s, FindStates find_states, Wanted wanted) {
  const auto start = Clock::now();
  const auto late = [&] { return seconds_since(context, start) > limit_s; };
  for (;;) {
    const MachineStates states = find_states();
    if (states.count() == 1 || complete(states, wanted(states), rows)) return;
    if (late() || signalled(context.runtime)) return;
    measure_now(context, states, rows);
  }
}

void cut(std::vector<double>& values, std::size_t count) {
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
}

}  // namespace

double seconds_since(RankContext const& context, Clock::time_point start) {
  return context.runtime.maximum(seconds_since(start));
}

double seconds_for_state(double table_seconds) {
  constexpr double least = 0.5, most = 5;
  return std::clamp(table_seconds, least, most);
}

double seconds_after_sweep(double table_seconds) {
  constexpr double least = 1, most = 60;
  return std::clamp(2 * table_seconds, least, most);
}

void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s) {
  go_on(
      context, sizes, limit_s, [&] { return MachineStates(probes_of(sizes), quantities_of(sizes)); },
      [&](MachineStates const& states) { return most_sampled(states, sizes); });
}

void complete_tables(RankContext& context, Tables& tables, double limit_s) {
  const auto start = Clock::now();
  complete_table(context, tables.sizes, limit_s);
  const MachineStates states({probes_of(tables.operations), probes_of(tables.sizes), probes_of(tables.runs)},
                             quantities_of(tables.sizes));
  const auto state = state_with_table(states, tables.sizes).value_or(most_sampled(states, tables.sizes));
  complete_tables(context, tables, states, state, limit_s - seconds_since(context, start));
}

void complete_tables(RankContext& context, Tables& tables, MachineStates const& states, std::size_t state,
                     double limit_s) {
  const auto start = Clock::now();
  const auto go_on_with = [&](auto& rows) {
    go_on(
        context, rows, limit_s - seconds_since(context, start), [&] { return states; },
        [=](MachineStates const&) { return state; });
  };
  go_on_with(tables.sizes);
  go_on_with(tables.runs);
  std::span operations(&tables.operations, 1);
  go_on_with(operations);
}

Tables without_samples(Tables const& tables) {
  Tables rest;
  rest.operations.last_pass = tables.operations.last_pass;
  for (auto const& size : tables.sizes) rest.sizes.push_back({size.bytes, {}, size.wrong, {}, size.verb});
  for (auto const& run : tables.runs) {
    rest.runs.emplace_back();
    rest.runs.back().bytes = run.bytes;
    rest.runs.back().calls = run.calls;
    rest.runs.back().repetitions = run.repetitions;
  }
  return rest;
}

Tables with_samples_of(Tables const& tables, Tables stored) {
  stored.operations.last_pass = tables.operations.last_pass;
  for (std::size_t i = 0; i < stored.runs.size(); ++i)
    stored.runs[i].repetitions = tables.runs.at(i).repetitions;
  return stored;
}

Tables behind(Tables tables, Tables const& before) {
  std::vector<std::size_t> passes(tables.operations.samples - before.operations.samples);
  std::iota(passes.begin(), passes.end(), before.operations.samples);
  tables.operations = with_samples(std::move(tables.operations), passes);
  for (std::size_t i = 0; i < tables.sizes.size(); ++i) {
    auto& size = tables.sizes[i];
    for (auto* values : {&size.seconds, &size.probes.before, &size.probes.after})
      cut(*values, before.sizes[i].seconds.size());
  }
  for (std::size_t i = 0; i < tables.runs.size(); ++i) {
    auto& run = tables.runs[i];
    for (auto* values : {&run.compute_alone, &run.collective_alone, &run.compute_beside,
                         &run.collective_beside, &run.probes.before, &run.probes.after})
      cut(*values, before.runs[i].compute_alone.size());
  }
  return tables;
}

}  // namespace ddproxy
