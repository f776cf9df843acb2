// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective_tables.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// A function that returns the seconds of one collective of x bytes while no compute runs. x is the size of
/// the whole vector, in bytes in the wire format (CollectiveTables, model/cost/collective_tables.hpp).
using CollectiveCost = std::function<double(std::int64_t bytes)>;

/// The cost tables of the collectives, by verb (the kind of the collective) and communicator: a(x), rs(x),
/// ag(x), bc(x) and p2p(x) for all-reduce, reduce-scatter, all-gather, broadcast and point-to-point. A send
/// and its receive are one transfer and share one table.
class CollectiveCosts {
 public:
  /// Sets the table of a verb for all communicators without a table of their own.
  void set(Verb verb, CollectiveCost cost);
  /// Sets the table of a verb for one communicator.
  void set(Verb verb, CommunicatorId communicator, CollectiveCost cost);

  /// Returns the seconds of a collective. For a reduce-scatter or an all-gather without a table, returns half
  /// of the all-reduce's seconds and records a warning. Throws std::invalid_argument with the verb and the
  /// communicator if there is no table to use, and if a table returns a time that is negative or not finite.
  double operator()(Verb verb, CommunicatorId communicator, std::int64_t bytes);

  /// Returns one sentence for each verb and communicator whose costs were derived from the all-reduce time.
  std::vector<std::string> warnings() const;

 private:
  using Key = std::pair<Verb, std::optional<CommunicatorId>>;

  CollectiveCost const* find(Verb verb, CommunicatorId communicator) const;

  // A key without a communicator is for all communicators without a table of their own.
  std::map<Key, CollectiveCost> tables_;
  std::set<std::pair<Verb, CommunicatorId>> halved_;
};

}  // namespace ddproxy::model
