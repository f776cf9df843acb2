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

/// The index that stands for no element.
inline constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// A dependency of a task on another lane. A lane completes its launches or calls in order. So a task that
/// waits for one of them also waits for all earlier ones on that lane.
struct Wait {
  std::size_t lane;    ///< index of the communication lane; `nothing`: the compute lane
  std::size_t number;  ///< communication lane: index of the call on it; compute lane: index of the launch
};

/// One task of a step graph, in the form in which run_step() hands it to a lane. All look-ups and allocations
/// were done when the step was compiled. The spans point into the CompiledStep.
struct Launch {
  /// `compute` is an operator for ComputeLane::run(). `phase` is a task for ComputeLane::carry_out(). If a
  /// step has more than the backward pass of one micro-batch, all its compute tasks are of kind `phase`.
  enum class Kind { compute, phase, copy, collective, host_wait };
  static constexpr std::uint32_t no_join = std::numeric_limits<std::uint32_t>::max();
  Kind kind;
  std::uint32_t lane = 0;           ///< collective: index of its communication lane
  std::uint32_t first = 0;          ///< collective: index of its first call on that lane
  std::uint32_t join = no_join;     ///< collective with several waits: index of the AllOf that joins them
  std::size_t operation = nothing;  ///< compute: index of the operator; phase: index in phases()
  model::Slice slice = {};          ///< copy: the elements that are read
  std::size_t to = 0;               ///< copy: the first element that is assigned
  std::span<const CollectiveCall> calls = {};  ///< collective: its calls; several are issued as one group
  std::span<const Wait> waits = {};            ///< the dependencies on other lanes, at most one for each lane
  Wait wait = {nothing, nothing};              ///< the first of `waits`
};

/// The step graph of one rank, compiled into launches that run_step() can run any number of times.
///
/// Problem: look-ups and allocations would disturb a step that is timed. So the constructor does them once.
/// It makes one launch of each task, in the order of the graph's list.
///
/// Order of calls: construct the step, then pass it to run_step(). When a run is over, ends() and
/// operator_ends() return its times. The next run overwrites them.
///
/// All slices are ranges of elements in the memory of the step, the allocation that contains its buffers.
class CompiledStep {
 public:
  /// Compiles the graph. places[b] is the index, in the memory of the step, of the first element of buffer b
  /// of the graph. groups[c] is this rank's place in its group of communicator c; it selects the rank's part
  /// of a slice that is divided among the ranks. The object keeps neither `places` nor `groups`. Throws
  /// std::logic_error for a task that run_step() cannot carry out:
  ///   - a collective on a communicator that `groups` does not contain;
  ///   - a collective on a lane that is no communication lane;
  ///   - collectives of two communicators on one lane or in one group;
  ///   - a collective that adds to its result and is not a reduce-scatter;
  ///   - a task that is neither a collective nor on compute lane 0;
  ///   - a task without work.
  CompiledStep(model::StepGraph graph, std::span<const std::size_t> places,
               std::vector<GroupPlace> const& groups = {GroupPlace{}});

  CompiledStep(CompiledStep&&) = default;
  CompiledStep& operator=(CompiledStep&&) = default;
  CompiledStep(CompiledStep const&) = delete;  // not copyable: the launches point into this object
  CompiledStep& operator=(CompiledStep const&) = delete;

  model::StepGraph const& graph() const { return graph_; }
  std::span<const Launch> launches() const { return launches_; }
  /// Returns the communicator of each communication lane, in rising order of the lanes' numbers in the graph.
  /// The index of a lane in this class, in Wait and in Launch is its index in this list.
  std::vector<model::CommunicatorId> const& lanes() const { return lanes_; }
  /// Returns the calls of a communication lane in the order of issue. Returns an empty list if the step has
  /// no lane of this index.
  std::vector<CollectiveCall> const& collectives(std::size_t lane = 0) const;
  std::size_t largest_group() const { return largest_group_; }  ///< calls in the largest group, at least 1
  /// Returns the calls for ComputeLane::carry_out(), in the order of the launches of kind `phase`.
  std::vector<ComputeCall> const& phases() const { return phases_; }

  /// Returns the completion of each launch in the last run, in the order of launches(). run_step() assigns
  /// the completions of launches on the compute lane. The elements that belong to collectives are not used.
  std::vector<Completion>& ends() { return ends_; }
  std::vector<Completion> const& ends() const { return ends_; }
  /// Returns the object in which run_step() joins the completions that a collective waits for. Call it only
  /// if launch.join is not Launch::no_join. The step owns the object.
  AllOf& join(Launch const& launch) { return joins_[launch.join]; }

  /// Returns the times at which the operators ended in the last run, for the launches of kind `compute`, in
  /// their order. Call it when the run is over.
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
