// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "miniapp/collectives/drivers/communication_lane.hpp"
#include "miniapp/compute/shared_floats.hpp"
#include "miniapp/measure/pass/rank_context.hpp"

namespace ddproxy {

/// Splits T_compute of a pass into the seconds of each kind of operator. The input key `[gate] operators`
/// asks for it.
class OperatorTimes {
 public:
  /// Finds the kinds of the operators of the pass.
  explicit OperatorTimes(model::BackwardPass const& pass);
  /// Returns "compute", and then a name for each kind of operator in the pass, for instance "compute/linear".
  std::vector<std::string> const& names() const { return names_; }
  /// Returns the seconds that belong to names(): T_compute, and then the sum over the operators of each kind.
  /// The pass began at `start`. `ends` has the end of each operator, in the order of the pass.
  std::vector<double> seconds(Clock::time_point start, std::vector<Clock::time_point> const& ends) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> place_;  // [operation] index of its kind in names_
};

/// Measures the parts that `[gate] bucket` and `[gate] allreduce_kib` of the input ask for. A part is
/// something that a sweep measures besides its cases. A sample of a part consists of equal calls, one after
/// another. Their number is fixed, so that two builds do the same work.
class Parts {
 public:
  /// Makes the communication lanes, and allocates memory for the largest message. `context` must outlive this
  /// object. Collective.
  explicit Parts(RankContext& context);
  /// Returns the names of the parts. "bucket" is the cost of one bucket on the host. The host starts a
  /// simulated reduction that takes no time. The cost is the time from this start until the host sees that
  /// the reduction is complete. "allreduce/64KiB" is one real all-reduce without compute.
  std::vector<std::string> const& names() const { return names_; }
  /// Returns what names() returns for a Parts object made from `context`, without making one.
  static std::vector<std::string> names_of(RankContext const& context);
  /// Measures a part. `part` is an index into names(). Returns the seconds of one call, the maximum over the
  /// ranks. Only rank 0 measures "bucket"; the other ranks return 0 for it. Collective.
  double measure(std::size_t part);

 private:
  struct Row {
    bool collective;
    std::vector<Slice> calls;
  };
  RankContext& context_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
  SharedFloats memory_;
  std::unique_ptr<CommunicationLane> free_;  // for "bucket": its all-reduces take no time
  std::unique_ptr<CommunicationLane> real_;  // for "allreduce/...": carries out real all-reduces
};

}  // namespace ddproxy
