// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/measure/calibration/state_tables.hpp"

#include <algorithm>
#include <span>

namespace ddproxy {
namespace {

using model::MachineStates;

constexpr std::size_t least_enough = 3, most_enough = 10, share_that_is_enough = 4;

std::size_t samples_of_row(SizeTimes const& size) {
  return size.seconds.size();
}
std::size_t samples_of_row(ContentionSample const& run) {
  return run.compute_alone.size();
}
std::size_t samples_of_row(OperationTimes const& operations) {
  return operations.samples;
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
std::vector<double> collect(Rows const& rows) {
  std::vector<double> all;
  for (auto const& row : rows) {
    all.insert(all.end(), row.probes.before.begin(), row.probes.before.end());
    all.insert(all.end(), row.probes.after.begin(), row.probes.after.end());
  }
  return all;
}

template <class Value>
void keep(MachineStates const& states, std::size_t state, model::Probes const& probes,
          std::vector<Value>& values) {
  values = values_in(states, state, probes, values);
}

}  // namespace

std::vector<double> probes_of(OperationTimes const& operations) {
  return collect(std::span(&operations, 1));
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

OperationTimes in_state(MachineStates const& states, std::size_t state, OperationTimes operations) {
  const auto chosen = samples_in(states, state, operations.probes, operations.samples);
  return chosen.empty() ? operations : with_samples(std::move(operations), chosen);
}

bool lacks_samples(MachineStates const& states, std::size_t state, SizeTimes const& size) {
  return lacks(states, state, size);
}

bool lacks_samples(MachineStates const& states, std::size_t state, ContentionSample const& run) {
  return lacks(states, state, run);
}

bool lacks_samples(MachineStates const& states, std::size_t state, OperationTimes const& operations) {
  return lacks(states, state, operations);
}

bool has_table(MachineStates const& states, std::size_t state, OperationTimes const& operations) {
  return !lacks(states, state, operations);
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

std::size_t most_sampled(MachineStates const& states, std::vector<SizeTimes> const& sizes) {
  std::vector<std::size_t> counts(states.count());
  for (auto const& size : sizes)
    for (std::size_t state = 0; state < counts.size(); ++state)
      counts[state] += count_in(states, state, size);
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

}  // namespace ddproxy
