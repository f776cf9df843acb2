// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "miniapp/measure/calibration/contention_sample.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/machine_state.hpp"

namespace ddproxy {

// Tables for each state of a machine (model/predict/machine_state.hpp). A state is a condition in which times
// stay alike, for example a clock level. A table has a row for each operation, message size or contention
// run. Each sample of a row was measured between two probes, which show the state. A table of one state is
// complete if each row has enough samples in this state; has_table() says how many are enough. The functions
// take and return a state as its index, from 0 to states.count() - 1.

/// Returns all probes of the rows of a table: those before and those after each sample.
std::vector<double> probes_of(OperationTimes const& operations);
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
OperationTimes in_state(model::MachineStates const& states, std::size_t state, OperationTimes operations);

/// Returns whether a row of a table has too few samples in `state`; has_table() says how many are enough.
bool lacks_samples(model::MachineStates const& states, std::size_t state, SizeTimes const& size);
bool lacks_samples(model::MachineStates const& states, std::size_t state, ContentionSample const& run);
bool lacks_samples(model::MachineStates const& states, std::size_t state, OperationTimes const& operations);

/// Returns whether each row of a table has enough samples in `state`. A quarter of the samples of the row is
/// enough, but at least three samples are needed, and ten samples are always enough. Returns true for
/// replayed rows, and for a machine with one state.
bool has_table(model::MachineStates const& states, std::size_t state, std::vector<SizeTimes> const& sizes);
bool has_table(model::MachineStates const& states, std::size_t state,
               std::vector<ContentionSample> const& runs);
bool has_table(model::MachineStates const& states, std::size_t state, OperationTimes const& operations);

/// Returns the state with the most samples among the states for which has_table() is true. Returns nothing if
/// there is no such state.
std::optional<std::size_t> state_with_table(model::MachineStates const& states,
                                            std::vector<SizeTimes> const& sizes);
/// Returns the state with the most samples.
std::size_t most_sampled(model::MachineStates const& states, std::vector<SizeTimes> const& sizes);

}  // namespace ddproxy
