// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "miniapp/measure/calibration/contention_sample.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/measure/pass/rank_context.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

/// All probes of the rows of a table.
std::vector<double> probes_of(OperationTimes const& layers);
std::vector<double> probes_of(std::vector<SizeTimes> const& sizes);
std::vector<double> probes_of(std::vector<ContentionSample> const& runs);
/// The all-reduce of each message size, by which MachineStates judges whether states differ in time.
std::vector<model::ProbedTimes> quantities_of(std::vector<SizeTimes> const& sizes);

/// The rows of a table with only those samples that are in a state. A size that has none in it keeps all of
/// its samples: after a signal a size may have one sample alone, and its state may be unknown.
std::vector<SizeTimes> in_state(model::MachineStates const& states, std::size_t state,
                                std::vector<SizeTimes> sizes);
/// A size that has no co-run in the state keeps all of its co-runs.
std::vector<ContentionSample> in_state(model::MachineStates const& states, std::size_t state,
                                       std::vector<ContentionSample> runs);
/// The passes in a state; all of them where none is.
OperationTimes in_state(model::MachineStates const& states, std::size_t state, OperationTimes layers);

/// Whether each row has enough samples in a state: a quarter of its samples, three at least, ten at most.
bool has_table(model::MachineStates const& states, std::size_t state, std::vector<SizeTimes> const& sizes);
bool has_table(model::MachineStates const& states, std::size_t state,
               std::vector<ContentionSample> const& runs);
bool has_table(model::MachineStates const& states, std::size_t state, OperationTimes const& layers);

/// The state in which most samples of the rows are, among those that have a table; nothing where none has.
std::optional<std::size_t> state_with_table(model::MachineStates const& states,
                                            std::vector<SizeTimes> const& sizes);

/// Seconds from `start` to now, the maximum over ranks. Collective.
double seconds_since(RankContext const& context, Clock::time_point start);

/// The most seconds that completing a table before the sweep may take, where measuring it took
/// `table_seconds`: as long again, from 0.5 to 5.
double seconds_for_state(double table_seconds);
/// The most seconds that measuring the tables of another state may take after the sweep: twice as long as
/// the tables before it took, from 1 to 60. Without them the whole sweep has no prediction.
double seconds_after_sweep(double table_seconds);

/// Goes on measuring until the state in which most samples are has a table, `limit_s` seconds at the most.
/// While the machine is in a state that lacks samples, they are taken; else it waits. Ends where a signal
/// came. Does nothing on a machine with one state. Collective; the same on all ranks.
void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s);

/// What a prediction is made from; the tables outlive the object.
struct Tables {
  OperationTimes& layers;
  std::vector<SizeTimes>& sizes;
  std::vector<ContentionSample>& runs;
};

/// The same for all tables: first those of `sizes`, then the others for the state of `sizes`.
void complete_tables(RankContext& context, Tables tables, double limit_s);

/// The same for a given one of given states.
void complete_tables(RankContext& context, Tables tables, model::MachineStates const& states,
                     std::size_t state, double limit_s);

/// The samples behind the first so many of each row.
OperationTimes behind(OperationTimes const& layers, std::size_t count);
std::vector<SizeTimes> behind(std::vector<SizeTimes> sizes, std::vector<std::size_t> const& counts);
std::vector<ContentionSample> behind(std::vector<ContentionSample> runs,
                                     std::vector<std::size_t> const& counts);
/// The number of samples of each row.
std::vector<std::size_t> counts_of(std::vector<SizeTimes> const& sizes);
std::vector<std::size_t> counts_of(std::vector<ContentionSample> const& runs);

}  // namespace ddproxy
