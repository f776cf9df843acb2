// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/state_tables.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>

#include "miniapp/machine/interruption.hpp"
#include "miniapp/measure/calibration/calibrate.hpp"

namespace ddproxy {
namespace {

using model::MachineStates;

constexpr std::size_t least_enough = 3, most_enough = 10, share_that_is_enough = 4;
constexpr std::chrono::milliseconds pause{10};

std::size_t samples_of_row(SizeTimes const& size) {
  return size.seconds.size();
}
std::size_t samples_of_row(ContentionSample const& run) {
  return run.compute_alone.size();
}
std::size_t samples_of_row(OperationTimes const& layers) {
  return layers.samples;
}

void add_sample(RankContext& context, OperationTimes& layers) {
  add_passes(context, layers, 1);
}

template <class Row>
std::size_t count_in(MachineStates const& states, std::size_t state, Row const& row) {
  return samples_in(states, state, row.probes, samples_of_row(row)).size();
}

template <class Row>
bool lacks(MachineStates const& states, std::size_t state, Row const& row) {
  const auto enough = std::clamp(samples_of_row(row) / share_that_is_enough, least_enough, most_enough);
  if (row.probes.before.empty()) return false;  // replayed, so known in every state
  return states.count() > 1 && count_in(states, state, row) < enough;
}

template <class Rows>
bool complete(MachineStates const& states, std::size_t state, Rows const& rows) {
  return std::ranges::none_of(rows, [&](auto const& row) { return lacks(states, state, row); });
}

template <class Rows>
std::size_t most_sampled(MachineStates const& states, Rows const& rows) {
  std::vector<std::size_t> counts(states.count());
  for (auto const& row : rows)
    for (std::size_t state = 0; state < counts.size(); ++state) counts[state] += count_in(states, state, row);
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

template <class Rows>
std::vector<double> collect(Rows const& rows) {
  std::vector<double> all;
  for (auto const& row : rows) {
    all.insert(all.end(), row.probes.before.begin(), row.probes.before.end());
    all.insert(all.end(), row.probes.after.begin(), row.probes.after.end());
  }
  return all;
}

// Probes the machine and takes one sample of each row that lacks samples in the present state of the machine.
// If no row lacks samples, or if the state is unknown, sleeps for a while instead.
template <class Rows>
void measure_now(RankContext& context, MachineStates const& states, Rows& rows) {
  const auto now = states.state_of(context.probe_state());
  if (!now || complete(states, *now, rows)) return std::this_thread::sleep_for(pause);
  for (auto& row : rows)
    if (lacks(states, *now, row)) add_sample(context, row);
}

// Measures until all rows have enough samples in the wanted state, until `limit_s` seconds have passed, or
// until a signal arrives. Before each measurement it calls find_states(), which returns the states, and
// wanted(states), which returns the index of the wanted state.
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

template <class Rows>
std::vector<std::size_t> samples_of_rows(Rows const& rows) {
  std::vector<std::size_t> counts;
  for (auto const& row : rows) counts.push_back(samples_of_row(row));
  return counts;
}

template <class Value>
void keep(MachineStates const& states, std::size_t state, model::Probes const& probes,
          std::vector<Value>& values) {
  values = values_in(states, state, probes, values);
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

OperationTimes behind(OperationTimes const& layers, std::size_t count) {
  std::vector<std::size_t> chosen(layers.samples - count);
  std::iota(chosen.begin(), chosen.end(), count);
  return with_samples(layers, chosen);
}

std::vector<SizeTimes> behind(std::vector<SizeTimes> sizes, std::vector<std::size_t> const& counts) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (auto* values : {&sizes[i].seconds, &sizes[i].probes.before, &sizes[i].probes.after})
      cut(*values, counts[i]);
  return sizes;
}

std::vector<ContentionSample> behind(std::vector<ContentionSample> runs,
                                     std::vector<std::size_t> const& counts) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (auto* values : {&runs[i].compute_alone, &runs[i].collective_alone, &runs[i].compute_beside,
                         &runs[i].collective_beside, &runs[i].probes.before, &runs[i].probes.after})
      cut(*values, counts[i]);
  return runs;
}

std::vector<std::size_t> counts_of(std::vector<SizeTimes> const& sizes) {
  return samples_of_rows(sizes);
}

std::vector<std::size_t> counts_of(std::vector<ContentionSample> const& runs) {
  return samples_of_rows(runs);
}

std::vector<double> probes_of(OperationTimes const& layers) {
  return collect(std::span(&layers, 1));
}

std::vector<double> probes_of(std::vector<SizeTimes> const& sizes) {
  return collect(sizes);
}

std::vector<double> probes_of(std::vector<ContentionSample> const& runs) {
  return collect(runs);
}

std::vector<model::ProbedTimes> quantities_of(std::vector<SizeTimes> const& sizes) {
  std::vector<model::ProbedTimes> quantities;
  for (auto const& size : sizes) quantities.push_back({size.probes, size.seconds});
  return quantities;
}

std::vector<SizeTimes> in_state(MachineStates const& states, std::size_t state,
                                std::vector<SizeTimes> sizes) {
  for (auto& size : sizes)
    if (count_in(states, state, size) > 0) keep(states, state, size.probes, size.seconds);
  return sizes;
}

std::vector<ContentionSample> in_state(MachineStates const& states, std::size_t state,
                                       std::vector<ContentionSample> runs) {
  for (auto& run : runs) {
    if (count_in(states, state, run) == 0) continue;
    for (auto times : {&ContentionSample::compute_alone, &ContentionSample::collective_alone,
                       &ContentionSample::compute_beside, &ContentionSample::collective_beside})
      keep(states, state, run.probes, run.*times);
  }
  return runs;
}

OperationTimes in_state(MachineStates const& states, std::size_t state, OperationTimes layers) {
  const auto chosen = samples_in(states, state, layers.probes, layers.samples);
  return chosen.empty() ? layers : with_samples(std::move(layers), chosen);
}

bool has_table(MachineStates const& states, std::size_t state, OperationTimes const& layers) {
  return !lacks(states, state, layers);
}

bool has_table(MachineStates const& states, std::size_t state, std::vector<SizeTimes> const& sizes) {
  return complete(states, state, sizes);
}

bool has_table(MachineStates const& states, std::size_t state, std::vector<ContentionSample> const& runs) {
  return complete(states, state, runs);
}

std::optional<std::size_t> state_with_table(MachineStates const& states,
                                            std::vector<SizeTimes> const& sizes) {
  std::optional<std::size_t> best;
  std::size_t most = 0;
  for (std::size_t state = 0; state < states.count(); ++state) {
    std::size_t samples = 0;
    for (auto const& size : sizes) samples += count_in(states, state, size);
    if (!complete(states, state, sizes) || (best && samples <= most)) continue;
    best = state;
    most = samples;
  }
  return best;
}

void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s) {
  go_on(
      context, sizes, limit_s, [&] { return MachineStates(probes_of(sizes), quantities_of(sizes)); },
      [&](MachineStates const& states) { return most_sampled(states, sizes); });
}

void complete_tables(RankContext& context, Tables tables, double limit_s) {
  const auto start = Clock::now();
  complete_table(context, tables.sizes, limit_s);
  const MachineStates states({probes_of(tables.layers), probes_of(tables.sizes), probes_of(tables.runs)},
                             quantities_of(tables.sizes));
  const auto state = state_with_table(states, tables.sizes).value_or(most_sampled(states, tables.sizes));
  complete_tables(context, tables, states, state, limit_s - seconds_since(context, start));
}

void complete_tables(RankContext& context, Tables tables, MachineStates const& states, std::size_t state,
                     double limit_s) {
  const auto start = Clock::now();
  const auto go_on_with = [&](auto& rows) {
    go_on(
        context, rows, limit_s - seconds_since(context, start), [&] { return states; },
        [=](MachineStates const&) { return state; });
  };
  go_on_with(tables.sizes);
  go_on_with(tables.runs);
  std::span layers(&tables.layers, 1);
  go_on_with(layers);
}

}  // namespace ddproxy
