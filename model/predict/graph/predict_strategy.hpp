// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/predict/graph/live_memory.hpp"
#include "model/predict/timeline.hpp"
#include "model/step/strategies/named_strategy.hpp"

namespace ddproxy::model {

/// Returns true if the recurrences of timeline.hpp hold for a strategy. They hold for a strategy that reduces
/// the buckets of a plan in ready order, either each bucket as soon as it is ready or all buckets after the
/// backward pass.
bool follows_recurrence(NamedStrategy const& strategy);

/// Predicts a strategy with the buckets of `plan`. Uses the recurrence (simulate() of timeline.hpp) if
/// follows_recurrence() is true, else simulate() of simulate_step.hpp on the step graph that the strategy
/// builds. A strategy that does not overlap makes no copies. Throws what these functions throw.
Timeline predict(NamedStrategy const& strategy, Job const& job, Plan const& plan);

/// Predicts any strategy with simulate() (simulate_step.hpp) on its step graph. Throws std::invalid_argument
/// if a sweep cannot run the graph (unfit_for_sweep() in model/step/strategies/named_strategy.hpp), and what
/// simulate() throws.
Timeline predict_by_graph(NamedStrategy const& strategy, Job const& job, Plan const& plan);

/// Predicts the live buffers of a rank during a step of a strategy with the buckets of `plan`. Throws what
/// predict_by_graph() throws.
LiveMemory predict_live_memory(NamedStrategy const& strategy, Job const& job, Plan const& plan);

}  // namespace ddproxy::model
