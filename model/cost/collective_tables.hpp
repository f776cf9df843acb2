// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "model/cost/allreduce_cost.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// What replaces the table of a collective that was not measured: `share` times the time of the collective
/// `verb`. A verb is the kind of a collective (step_graph.hpp).
struct Substitute {
  Verb verb;
  double share;
};

/// Returns the substitute of a collective that was not measured: half of an all-reduce for a reduce-scatter
/// and for an all-gather, because an all-reduce consists of one of each. Returns nothing for the other
/// collectives.
std::optional<Substitute> substitute_of(Verb verb);

/// Measured times of collectives while no compute runs: one table for each verb and number of ranks. The
/// bytes of a row are those of the whole vector in the wire format. For an all-reduce or a reduce-scatter,
/// this is the input of each rank. For an all-gather or a broadcast, it is the output of each rank. A send
/// and its receive are one transfer and have one table.
class CollectiveTables {
 public:
  /// The number of ranks of a table if neither its file nor the caller states the number. No group has so few
  /// ranks, so find() never returns such a table.
  static constexpr int unknown_ranks = 0;

  /// The result of source(): the table of the verb itself with share 1, or the table of its substitute with
  /// the substitute's share.
  struct Source {
    TableCost const* table;  ///< valid until the next set()
    double share;
    double operator()(std::int64_t bytes) const { return share * (*table)(bytes); }
  };

  /// Sets the table of a verb over groups of `ranks` ranks.
  void set(Verb verb, int ranks, TableCost cost);
  /// Returns the table of a verb over groups of `ranks` ranks, or nullptr if there is none. The pointer is
  /// valid until the next set().
  TableCost const* find(Verb verb, int ranks) const;
  /// Returns the table of a verb, or of its substitute if the verb has none. Returns nothing if neither has a
  /// table.
  std::optional<Source> source(Verb verb, int ranks) const;

 private:
  std::map<std::pair<Verb, int>, TableCost> tables_;
};

/// Reads a CSV file with the columns `verb,ranks,bytes,seconds`, as `ddproxy collectives` writes it. Without
/// a column `verb` all rows are all-reduces. If there is no column `ranks`, all rows are for groups of
/// `ranks` ranks (the argument) and for no others, because a time depends on the number of ranks. A caller
/// that does not know the number passes CollectiveTables::unknown_ranks. If a verb has only one size for a
/// number of ranks, its row is left out, because a table needs two sizes. Throws what the readers of csv.hpp
/// throw.
CollectiveTables read_collectives(std::filesystem::path const& file, int ranks);

}  // namespace ddproxy::model
