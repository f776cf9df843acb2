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

// Tables for each state of a machine (model/predict/machine_state.hpp). A state is a condition in which times
// stay alike, for example a clock level. A table has a row for each operation, message size or contention
// run. Each sample of a row was measured between two probes, which show the state. A table of one state is
// complete if each row has enough samples in this state; has_table() says how many are enough.

/// Returns all probes of the rows of a table: those before and those after each sample.
std::vector<double> probes_of(OperationTimes const& layers);
std::vector<double> probes_of(std::vector<SizeTimes> const& sizes);
std::vector<double> probes_of(std::vector<ContentionSample> const& runs);
/// Returns the times of the all-reduces of each message size, with their probes. MachineStates uses them to
/// decide whether times differ between two states.
std::vector<model::ProbedTimes> quantities_of(std::vector<SizeTimes> const& sizes);

/// Returns the rows of a table with only those samples that were measured in `state`. A size without such a
/// sample keeps all its samples: after a signal a size may have a single sample, and its state may be
/// unknown. The result has the probes of all samples.
std::vector<SizeTimes> in_state(model::MachineStates const& states, std::size_t state,
                                std::vector<SizeTimes> sizes);
/// Returns the contention runs with only those samples that were measured in `state`. A contention run
/// without such a sample keeps all its samples. The result has the probes of all samples.
std::vector<ContentionSample> in_state(model::MachineStates const& states, std::size_t state,
                                       std::vector<ContentionSample> runs);
/// Returns the times of the passes that were measured in `state`, or of all passes if there are none.
OperationTimes in_state(model::MachineStates const& states, std::size_t state, OperationTimes layers);

/// Returns whether each row of a table has enough samples in `state`. A quarter of the samples of the row is
/// enough, but at least three samples are needed, and ten samples are always enough. Returns true for
/// replayed rows, and for a machine with one state.
bool has_table(model::MachineStates const& states, std::size_t state, std::vector<SizeTimes> const& sizes);
bool has_table(model::MachineStates const& states, std::size_t state,
               std::vector<ContentionSample> const& runs);
bool has_table(model::MachineStates const& states, std::size_t state, OperationTimes const& layers);

/// Returns the state with the most samples among the states for which has_table() is true. Returns nothing if
/// there is no such state.
std::optional<std::size_t> state_with_table(model::MachineStates const& states,
                                            std::vector<SizeTimes> const& sizes);

/// Returns the seconds from `start` to now, the maximum over the ranks. Collective.
double seconds_since(RankContext const& context, Clock::time_point start);

/// Returns the time limit, in seconds, for complete_table() before the sweep. It is the time that measuring
/// the table took, `table_seconds`, but at least 0.5 and at most 5.
double seconds_for_state(double table_seconds);
/// Returns the time limit, in seconds, for measuring the tables of another state after the sweep. It is twice
/// the time that the tables before the sweep took, `table_seconds`, but at least 1 and at most 60. This limit
/// is longer than seconds_for_state(), because without these tables the whole sweep has no prediction.
double seconds_after_sweep(double table_seconds);

/// Takes more samples until has_table() is true for the state with the most samples, or until `limit_s`
/// seconds have passed. Waits while the machine is in a state that needs no more samples. Returns early if a
/// signal arrived. Does nothing on a machine with one state. The result is the same on all ranks. Collective.
void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s);

/// References to the tables from which a prediction is made. The tables must outlive the object.
struct Tables {
  OperationTimes& layers;
  std::vector<SizeTimes>& sizes;
  std::vector<ContentionSample>& runs;
};

/// Calls complete_table() for tables.sizes. Then completes all tables for the state of state_with_table(), or
/// for the state with the most samples if no state has a complete table. Both together take at most about
/// `limit_s` seconds. Collective.
void complete_tables(RankContext& context, Tables tables, double limit_s);

/// Takes more samples of all tables until has_table() is true for `state`, or until `limit_s` seconds have
/// passed. `state` is an index into `states`. Collective.
void complete_tables(RankContext& context, Tables tables, model::MachineStates const& states,
                     std::size_t state, double limit_s);

/// Returns the tables without the first `count` samples, or without the first counts[row] samples of each
/// row.
OperationTimes behind(OperationTimes const& layers, std::size_t count);
std::vector<SizeTimes> behind(std::vector<SizeTimes> sizes, std::vector<std::size_t> const& counts);
std::vector<ContentionSample> behind(std::vector<ContentionSample> runs,
                                     std::vector<std::size_t> const& counts);
/// Returns the number of samples of each row.
std::vector<std::size_t> counts_of(std::vector<SizeTimes> const& sizes);
std::vector<std::size_t> counts_of(std::vector<ContentionSample> const& runs);

}  // namespace ddproxy
