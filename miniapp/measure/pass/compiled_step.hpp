// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"
#include "miniapp/compute/compute_lane.hpp"
#include "miniapp/device/completion.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

inline constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// A dependency of a task on another lane. A lane completes its items in order, so the task waits for item
/// `number` and for all items before it on that lane.
struct Wait {
  std::size_t lane;    ///< index of the communication lane; `nothing`: the compute lane
  std::size_t number;  ///< communication lane: index of the call on it; compute lane: index of the launch
};

/// One task of a step graph, in the form in which run_step() hands it to a lane. All look-ups and allocations
/// were done when the step was compiled. The spans point into the CompiledStep.
struct Launch {
  /// `compute` is an operator for ComputeLane::run(). `phase` is a task for ComputeLane::carry_out().
  enum class Kind { compute, phase, copy, collective, host_wait };
  static constexpr std::uint32_t no_join = std::numeric_limits<std::uint32_t>::max();
  Kind kind;
  std::uint32_t lane = 0;           ///< collective: index of its communication lane
  std::uint32_t first = 0;          ///< collective: index of its first call on that lane
  std::uint32_t join = no_join;     ///< collective with several waits: index of the AllOf that joins them
  std::size_t operation = nothing;  ///< compute: index of the operator; phase: index in phases()
  model::Slice slice = {};          ///< copy: the elements that are read
  std::size_t to = 0;               ///< copy: the first element that is assigned
  std::span<const CollectiveCall> calls = {};
  std::span<const Wait> waits = {};  ///< what the task waits for on other lanes
  Wait wait = {nothing, nothing};    ///< the first of `waits`
};

/// The step graph of one rank, compiled into launches that run_step() can run any number of times.
///
/// Problem: while a step is timed, nothing may be looked up or allocated for a task. So the constructor does
/// that work once. It makes one launch of each task, in the order of the graph's list.
///
/// Order of calls: construct the step, then pass it to run_step(). When a run is over, ends() and
/// operator_ends() return its times. The next run overwrites them.
///
/// All slices count elements of the memory in which the buffers of the step lie.
class CompiledStep {
 public:
  /// Compiles the graph. `places` has the index of the first element of each buffer of the graph in the
  /// memory of the step. `groups` has this rank's place in its group of each communicator; it selects the
  /// rank's part of a slice that is divided among the ranks. Both are read only here. Throws std::logic_error
  /// for a task that run_step() cannot carry out: a collective on a communicator without a place in `groups`,
  /// a collective on a lane that is no communication lane, a communication lane or a group with collectives
  /// of two communicators, or a collective other than a reduce-scatter that adds to its result.
  CompiledStep(model::StepGraph graph, std::span<const std::size_t> places,
               std::vector<GroupPlace> const& groups = {GroupPlace{}});

  CompiledStep(CompiledStep&&) = default;
  CompiledStep& operator=(CompiledStep&&) = default;
  CompiledStep(CompiledStep const&) = delete;  // not copyable: the launches point into this object
  CompiledStep& operator=(CompiledStep const&) = delete;

  model::StepGraph const& graph() const { return graph_; }
  std::span<const Launch> launches() const { return launches_; }
  /// Returns the communicator of each communication lane, in rising order of the lanes' numbers in the graph.
  /// The index of a lane, here and in a Launch, is its index in this list.
  std::vector<model::CommunicatorId> const& lanes() const { return lanes_; }
  /// Returns the calls of a lane in the order of issue. Returns an empty list for a lane that the step does
  /// not have.
  std::vector<CollectiveCall> const& collectives(std::size_t lane = 0) const;
  std::size_t largest_group() const { return largest_group_; }  ///< calls in the largest group, at least 1
  /// Returns the calls for ComputeLane::carry_out(), in the order of the launches of kind `phase`.
  std::vector<ComputeCall> const& phases() const { return phases_; }

  /// Returns the completion of each launch in the last run, indexed by launch. run_step() assigns the
  /// completions of launches on the compute lane; those of collectives are unused.
  std::vector<Completion>& ends() { return ends_; }
  std::vector<Completion> const& ends() const { return ends_; }
  /// Returns the object in which run_step() joins the completions that a collective waits for. Valid for a
  /// launch that has `join` set.
  AllOf& join(Launch const& launch) { return joins_[launch.join]; }

  /// Returns when each operator ended in the last run, in the order of the launches. Call it when the run is
  /// over.
  std::vector<Clock::time_point> operator_ends() const;

 private:
  friend class StepCompiler;

  model::StepGraph graph_;
  std::vector<Launch> launches_;
  std::vector<model::CommunicatorId> lanes_;
  std::vector<std::vector<CollectiveCall>> collectives_;  // [lane]
  std::vector<PlacedAccess> accesses_;                    // of the launches of kind `phase`
  std::vector<Wait> waits_;
  std::vector<ComputeCall> phases_;
  std::size_t largest_group_ = 1;
  std::vector<Completion> ends_;
  std::vector<AllOf> joins_;
};

}  // namespace ddproxy
