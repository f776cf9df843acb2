// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "model/step/check/gradient_sums.hpp"
#include "model/step/merged_order.hpp"

namespace ddproxy::model {

/// Carries out collectives on the symbolic contents of buffers.
class CollectiveContents {
 public:
  /// All arguments must outlive this object.
  CollectiveContents(RankGraphs const& step, BufferContents& contents, GradientSums& sums, Findings& findings)
      : step_(step), contents_(contents), sums_(sums), findings_(findings) {}

  /// Carries out the collectives of one node of merged_order() (merged_order.hpp), in every group of their
  /// communicators.
  void run(std::vector<ClassTask> const& node);

 private:
  /// What one rank does in a collective.
  struct Member {
    std::size_t rank;
    ClassTask task;
    Collective collective;
    std::vector<Access> accesses;  ///< the accesses that belong to this collective
  };
  using Members = std::vector<Member>;  ///< in the order of their places in the group

  Task const& task(ClassTask at) const { return step_.classes[at.rank_class].graph.tasks[at.task]; }
  Members members(std::vector<ClassTask> const& node, CommunicatorId id,
                  std::vector<std::size_t> const& group) const;
  void run(Members const& members);
  void locate(Member const& member);
  Segments read(Member const& member, Access const& access);
  void write(Member const& member, Access const& access, Segments const& segments);
  Segments sum(Members const& members);
  void all_reduce(Members const& members);
  void reduce_scatter(Members const& members);
  void all_gather(Members const& members);
  void hand_over(Members const& members);

  RankGraphs const& step_;
  BufferContents& contents_;
  GradientSums& sums_;
  Findings& findings_;
  std::optional<ClassTask> located_;  // the task that the messages of findings_ name
};

}  // namespace ddproxy::model
