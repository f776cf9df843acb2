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

// Tables for each state of a machine (model/predict/machine_state.hpp). A table has a row for each operation,
// message size or co-run, and each sample was measured between two probes.

/// Returns all probes of the rows of a table, those before and those after each sample.
std::vector<double> probes_of(OperationTimes const& layers);
std::vector<double> probes_of(std::vector<SizeTimes> const& sizes);
std::vector<double> probes_of(std::vector<ContentionSample> const& runs);
/// Returns the times of the all-reduce of each message size with their probes. MachineStates decides by them
/// whether two states differ in time.
std::vector<model::ProbedTimes> quantities_of(std::vector<SizeTimes> const& sizes);

/// Returns the rows of a table with only those samples that were measured in `state`. A size without such a
/// sample keeps all samples: after a signal a size may have a single sample, and its state may be unknown.
std::vector<SizeTimes> in_state(model::MachineStates const& states, std::size_t state,
                                std::vector<SizeTimes> sizes);
/// Returns the co-runs with only those samples that were measured in `state`. A size without such a sample
/// keeps all samples.
std::vector<ContentionSample> in_state(model::MachineStates const& states, std::size_t state,
                                       std::vector<ContentionSample> runs);
/// Returns the passes that were measured in `state`, or all passes if there are none.
OperationTimes in_state(model::MachineStates const& states, std::size_t state, OperationTimes layers);

/// Returns whether each row has enough samples in `state`: a quarter of its samples, but at least three, and
/// ten are always enough. Replayed rows, and a machine with one state, need none.
bool has_table(model::MachineStates const& states, std::size_t state, std::vector<SizeTimes> const& sizes);
bool has_table(model::MachineStates const& states, std::size_t state,
               std::vector<ContentionSample> const& runs);
bool has_table(model::MachineStates const& states, std::size_t state, OperationTimes const& layers);

/// Returns the state with the most samples of the rows, among the states that have a table. Returns nothing
/// if no state has one.
std::optional<std::size_t> state_with_table(model::MachineStates const& states,
                                            std::vector<SizeTimes> const& sizes);

/// Returns the seconds from `start` to now, the maximum over the ranks. Collective.
double seconds_since(RankContext const& context, Clock::time_point start);

/// Returns the time limit, in seconds, for completing a table before the sweep. It is the time that measuring
/// the table took, `table_seconds`, but at least 0.5 and at most 5.
double seconds_for_state(double table_seconds);
/// Returns the time limit, in seconds, for measuring the tables of another state after the sweep. It is twice
/// the time that the tables before the sweep took, but at least 1 and at most 60. It is longer than the other
/// limit, because without these tables the whole sweep has no prediction.
double seconds_after_sweep(double table_seconds);

/// Takes more samples until the state with the most samples has a table, or until `limit_s` seconds have
/// passed. If the machine is in a state that lacks samples, it takes them; otherwise it waits. Ends early if
/// a signal arrived. Does nothing on a machine with one state. The result is the same on all ranks.
/// Collective.
void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s);

/// The tables from which a prediction is made. They must outlive the object.
struct Tables {
  OperationTimes& layers;
  std::vector<SizeTimes>& sizes;
  std::vector<ContentionSample>& runs;
};

/// Completes `sizes` as complete_table() does, and then all tables for the state for which `sizes` is
/// complete, within `limit_s` seconds together. Collective.
void complete_tables(RankContext& context, Tables tables, double limit_s);

/// Completes all tables for `state`, one of the given states, within `limit_s` seconds together. Collective.
void complete_tables(RankContext& context, Tables tables, model::MachineStates const& states,
                     std::size_t state, double limit_s);

/// Returns the samples that follow the first `count` ones, or the first `counts[row]` of each row.
OperationTimes behind(OperationTimes const& layers, std::size_t count);
std::vector<SizeTimes> behind(std::vector<SizeTimes> sizes, std::vector<std::size_t> const& counts);
std::vector<ContentionSample> behind(std::vector<ContentionSample> runs,
                                     std::vector<std::size_t> const& counts);
/// Returns the number of samples of each row.
std::vector<std::size_t> counts_of(std::vector<SizeTimes> const& sizes);
std::vector<std::size_t> counts_of(std::vector<ContentionSample> const& runs);

}  // namespace ddproxy
