// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "miniapp/collectives/drivers/collective_call.hpp"
#include "miniapp/device/completion.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy {

inline constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// A task of a step graph as run_step() asks a lane for it. Nothing is looked up or allocated for it while
/// time is measured.
struct Launch {
  enum class Kind { compute, copy, collective, host_wait };
  Kind kind;
  std::size_t operation = nothing;  ///< compute: index of the operator
  model::Slice slice = {};          ///< copy: the elements that are read
  std::size_t to = 0;               ///< copy: the first element that is assigned
  CollectiveCall call = {};         ///< collective
  /// Compute and copy: the last collective that it waits for, counted from 0; collective: the last launch of
  /// the compute lane that it waits for. `nothing` where it waits for none.
  std::size_t waits_for = nothing;
};

/// The step graph of one rank, ready to be run any number of times: one launch for each task, in the order of
/// the graph's list. Slices count elements of the memory in which the buffers of the step lie.
class CompiledStep {
 public:
  /// `places`: the first element of each buffer of the graph in the memory of the step. `place`: this rank's
  /// in the group of the one communicator, by which slices are told that have a part for each rank. Throws
  /// std::logic_error for a task that run_step() cannot carry out: a collective on a second communicator or
  /// lane, a group of sends and receives, a reduce-scatter that adds to what is there, another phase than
  /// the backward pass.
  CompiledStep(model::StepGraph graph, std::span<const std::size_t> places, GroupPlace place = {});

  model::StepGraph const& graph() const { return graph_; }
  std::span<const Launch> launches() const { return launches_; }
  std::vector<CollectiveCall> const& collectives() const { return collectives_; }  ///< in the order of issue

  /// When each launch of the compute lane ended in the last run, by its place among the launches. run_step()
  /// assigns them.
  std::vector<Completion>& ends() { return ends_; }
  std::vector<Completion> const& ends() const { return ends_; }

  /// The ends of the operators in the last run, in the order of the list. The run is over.
  std::vector<Clock::time_point> operator_ends() const;

 private:
  Launch launch_of(model::Task const& task, std::span<const std::size_t> places, GroupPlace place) const;
  std::size_t last_collective_before(model::Task const& task) const;

  model::StepGraph graph_;
  std::vector<Launch> launches_;
  std::vector<CollectiveCall> collectives_;
  std::vector<std::size_t> number_;  // of each task among the collectives; `nothing` for others
  std::vector<Completion> ends_;
};

}  // namespace ddproxy
