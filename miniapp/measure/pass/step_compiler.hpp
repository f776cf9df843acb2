// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <span>
#include <vector>

#include "miniapp/measure/pass/compiled_step.hpp"

namespace ddproxy {

/// Turns the tasks of a graph into launches. For the constructor of a CompiledStep, whose errors are its own.
class StepCompiler {
 public:
  StepCompiler(CompiledStep& step, std::span<const std::size_t> places,
               std::vector<GroupPlace> const& groups);

  /// Appends a launch for each task.
  void compile();

 private:
  /// Where the elements of a launch's spans begin, and how many there are: vectors still grow.
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
  /// This rank's place in its group of the communicator.
  GroupPlace place(model::Task const& task, model::CommunicatorId communicator) const;
  model::Slice placed(model::Access const& access) const;
  /// The elements of an access on this rank: where it has a part for each rank, that of its place.
  model::Slice own_part(model::Task const& task, model::Access const& access) const;
  PlacedAccess placed_access(model::Task const& task, model::Access const& access) const;

  CompiledStep& step_;
  std::span<const std::size_t> places_;
  std::vector<GroupPlace> const& groups_;
  std::vector<Parts> parts_;                 // [launch]
  std::map<model::Lane, std::size_t> lane_;  // number of each communication lane
  bool only_backward_ = true;                // of one micro-batch: what ComputeLane::run() carries out
};

}  // namespace ddproxy
