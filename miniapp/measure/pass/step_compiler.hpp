// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <vector>

#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Turns the tasks of a graph into launches. Only the constructor of CompiledStep uses this class. It takes
/// the arguments of that constructor and throws the errors that are described there.
class StepCompiler {
 public:
  /// All arguments must outlive this object.
  StepCompiler(CompiledStep& step, std::span<const std::size_t> places,
               std::vector<GroupPlace> const& groups);

  /// Appends a launch for each task to the step.
  void compile();

 private:
  /// What the spans of a launch will contain. `accesses` is the index of its first access in the step's
  /// accesses_, and `wait` is the index of its first wait in waits_. The launch has `calls` calls and `waits`
  /// waits. The spans are assigned at the end, because the vectors grow until then.
  struct Parts {
    std::size_t accesses = 0, calls = 0, wait = 0, waits = 0;
  };
  void find_lanes();
  void point_into_step();
  Launch launch_of(model::Task const& task, Parts& parts);
  Launch of_compute(model::Task const& task, Parts& parts);
  Launch of_collectives(model::Task const& task, Parts& parts);
  CollectiveCall call_of(model::Task const& task, std::span<const model::Access> accesses,
                         model::Collective const& collective) const;
  void add_waits(model::Task const& task, Launch& launch, Parts& parts);
  /// Returns this rank's place in its group of the communicator.
  GroupPlace place(model::Task const& task, model::CommunicatorId communicator) const;
  /// Returns the slice of an access in the memory of the step.
  model::Slice placed(model::Access const& access) const;
  /// Returns the elements that this rank accesses. If the slice is divided among the ranks, returns only the
  /// part of this rank.
  model::Slice own_part(model::Task const& task, model::Access const& access) const;
  PlacedAccess placed_access(model::Task const& task, model::Access const& access) const;

  CompiledStep& step_;
  std::span<const std::size_t> places_;
  std::vector<GroupPlace> const& groups_;
  std::vector<Parts> parts_;                 // [launch]
  std::map<model::Lane, std::size_t> lane_;  // index of each communication lane
  bool only_backward_ = true;                // ComputeLane::run() can carry out all compute tasks
  bool rounds_ = false;                      // some collective of the step is not transferred in fp32
};

}  // namespace ddproxy
