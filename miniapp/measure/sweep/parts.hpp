// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// T_compute of a pass and the share of it that each kind of operator takes, for `[gate] operators`.
class OperatorTimes {
 public:
  explicit OperatorTimes(model::BackwardPass const& pass);
  /// "compute", then a name for each kind of operator in the pass, for instance "compute/linear".
  std::vector<std::string> const& names() const { return names_; }
  /// Seconds by name of a pass that began at `start` and whose operations ended at `ends`.
  std::vector<double> seconds(Clock::time_point start, std::vector<Clock::time_point> const& ends) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> place_;  // [operation]: index of its kind in names_
};

/// What a sweep times besides its cases, for `[gate] bucket` and `allreduce_kib`. Each part is a row of equal
/// calls, always of the same number, so that two builds do the same work.
class Parts {
 public:
  /// Collective. Takes memory of its own for the largest message.
  explicit Parts(RankContext& context);
  /// "bucket": the host's cost of one bucket, from start() until its completion is seen, its reduction taking
  /// no time. "allreduce/64KiB": one real all-reduce, nothing beside it.
  std::vector<std::string> const& names() const { return names_; }
  static std::vector<std::string> names_of(RankContext const& context);
  /// Seconds of one call of a part, maximum over ranks; on rank 0. Collective.
  double measure(std::size_t part);

 private:
  struct Row {
    bool collective;
    std::vector<Slice> calls;
  };
  RankContext& context_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
  kernels::Floats memory_;
  std::unique_ptr<CommunicationLane> free_;  // its all-reduces take no time
  std::unique_ptr<CommunicationLane> real_;
};

}  // namespace ddproxy
