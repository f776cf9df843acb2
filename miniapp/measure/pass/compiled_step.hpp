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

/// What a task waits for on another lane: all that was asked of that lane up to here.
struct Wait {
  std::size_t lane;    ///< communication lane of the step; `nothing`: the compute lane
  std::size_t number;  ///< communication: call of the lane, from 0; compute: launch of the step
};

/// A task of a step graph as run_step() asks a lane for it. Nothing is looked up or allocated for it while
/// time is measured. Spans are of the step.
struct Launch {
  enum class Kind { compute, phase, copy, collective, host_wait };
  static constexpr std::uint32_t no_join = std::numeric_limits<std::uint32_t>::max();
  Kind kind;
  std::uint32_t lane = 0;           ///< collective: its lane
  std::uint32_t first = 0;          ///< collective: the number of its first call on that lane
  std::uint32_t join = no_join;     ///< collective with several waits: where they are made one
  std::size_t operation = nothing;  ///< compute: index of the operator; phase: of CompiledStep::phases()
  model::Slice slice = {};          ///< copy: the elements that are read
  std::size_t to = 0;               ///< copy: the first element that is assigned
  std::span<const CollectiveCall> calls = {};
  std::span<const Wait> waits = {};  ///< what it waits for on other lanes
  Wait wait = {nothing, nothing};    ///< the first of them
};

/// The step graph of one rank, ready to be run any number of times: one launch for each task, in the order of
/// the graph's list. Slices count elements of the memory in which the buffers of the step lie.
class CompiledStep {
 public:
  /// `places`: the first element of each buffer of the graph in the memory of the step. `groups`: this rank's
  /// place in its group of each communicator, by which slices are told that have a part for each rank. Throws
  /// std::logic_error for a task that run_step() cannot carry out: a collective on a communicator that has no
  /// place in `groups`, a communication lane or a group with collectives of two communicators, a collective
  /// other than a reduce-scatter that adds to what is there.
  CompiledStep(model::StepGraph graph, std::span<const std::size_t> places,
               std::vector<GroupPlace> const& groups = {GroupPlace{}});

  CompiledStep(CompiledStep&&) = default;
  CompiledStep& operator=(CompiledStep&&) = default;
  CompiledStep(CompiledStep const&) = delete;  // launches point into the step
  CompiledStep& operator=(CompiledStep const&) = delete;

  model::StepGraph const& graph() const { return graph_; }
  std::span<const Launch> launches() const { return launches_; }
  /// The communicator of each communication lane, by rising number of the lane in the graph: what "lane 0"
  /// is here and in a Launch.
  std::vector<model::CommunicatorId> const& lanes() const { return lanes_; }
  /// The calls of a lane, in the order of issue; none of a lane that the step does not have.
  std::vector<CollectiveCall> const& collectives(std::size_t lane = 0) const;
  std::size_t largest_group() const { return largest_group_; }  ///< calls; at least 1
  /// What ComputeLane::carry_out() gets, in the order of the launches of that kind.
  std::vector<ComputeCall> const& phases() const { return phases_; }

  /// When each launch of the compute lane ended in the last run, by its place among the launches. run_step()
  /// assigns them.
  std::vector<Completion>& ends() { return ends_; }
  std::vector<Completion> const& ends() const { return ends_; }
  /// Where run_step() makes several completions one.
  AllOf& join(Launch const& launch) { return joins_[launch.join]; }

  /// The ends of the operators in the last run, in the order of the list. The run is over.
  std::vector<Clock::time_point> operator_ends() const;

 private:
  friend class StepCompiler;

  model::StepGraph graph_;
  std::vector<Launch> launches_;
  std::vector<model::CommunicatorId> lanes_;
  std::vector<std::vector<CollectiveCall>> collectives_;  // [lane]
  std::vector<PlacedAccess> accesses_;                    // of the tasks for carry_out()
  std::vector<Wait> waits_;
  std::vector<ComputeCall> phases_;
  std::size_t largest_group_ = 1;
  std::vector<Completion> ends_;
  std::vector<AllOf> joins_;
};

}  // namespace ddproxy
