// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "miniapp/measure/calibration/state_tables.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Returns the seconds from `start` to now, the maximum over the ranks. Collective.
double seconds_since(RankContext const& context, Clock::time_point start);

/// Returns the time limit, in seconds, for complete_table(), and for complete_tables() before the sweep. It
/// is the time that measuring the tables took, `table_seconds`, but at least 0.5 and at most 5.
double seconds_for_state(double table_seconds);
/// Returns the time limit, in seconds, for measuring the tables of another state after the sweep. It is twice
/// the time that the tables before the sweep took, `table_seconds`, but at least 1 and at most 60. This limit
/// is longer than seconds_for_state(), because without these tables the whole sweep has no prediction.
double seconds_after_sweep(double table_seconds);

/// Takes more samples until has_table() is true for the state with the most samples, or until `limit_s`
/// seconds have passed. Waits while the machine is in a state that needs no more samples. Returns early if a
/// signal arrived. Does nothing on a machine with one state. The result is the same on all ranks. Collective.
void complete_table(RankContext& context, std::vector<SizeTimes>& sizes, double limit_s);

/// The tables from which a prediction is made.
struct Tables {
  OperationTimes operations;
  std::vector<SizeTimes> sizes;
  std::vector<ContentionSample> runs;
};

/// Calls complete_table() for tables.sizes. Then completes all tables for one state: the state that
/// state_with_table() returns, or the state with the most samples if that function returns nothing. Both
/// steps together take at most about `limit_s` seconds. Returns early if a signal arrived. Collective.
void complete_tables(RankContext& context, Tables& tables, double limit_s);

/// Takes more samples of all tables until has_table() is true for `state`, or until `limit_s` seconds have
/// passed. `state` is the index of a state of `states`. Returns early if a signal arrived. Collective.
void complete_tables(RankContext& context, Tables& tables, model::MachineStates const& states,
                     std::size_t state, double limit_s);

/// Returns `tables` without samples and probes: the message sizes, and the settings of the contention runs.
Tables without_samples(Tables const& tables);

/// Returns `tables` with the samples and the probes of `stored`, which has the same rows. More samples can
/// then be added. `stored` may lack the settings (OperationTimes::last_pass, ContentionSample::repetitions).
Tables with_samples_of(Tables const& tables, Tables stored);

/// Removes from each row of `tables` the samples that it already had in `before`, an earlier copy of
/// `tables`. Returns the rest.
Tables behind(Tables tables, Tables const& before);

}  // namespace ddproxy
