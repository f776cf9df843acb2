// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/allreduce_cost.hpp"
#include "model/step/step_graph.hpp"

namespace ddproxy::model {

/// The ranks that carry out a collective together.
struct RankGroup {
  int ranks = 1;
  int nodes = 0;  ///< number of nodes on which the ranks are; 0: not known
};

/// Returns "8 ranks", or "8 ranks on 2 nodes" if the number of nodes is known.
std::string group_text(RankGroup group);
/// Returns the group of ranks 0 to `ranks` - 1 if each node has `ranks_per_node` consecutive ranks. The
/// number of nodes of the group is not known if `ranks_per_node` is 0.
RankGroup neighbours(int ranks, int ranks_per_node);
/// Returns the largest number of nodes over which a group of the communicator is distributed. `node[rank]` is
/// the number of the rank's node. Returns 0 if `node` is empty, because the nodes are not known.
int nodes_of(Communicator const& communicator, std::span<const std::size_t> node);
/// Returns the same number for nodes with `ranks_per_node` consecutive ranks each. Returns 0 if
/// `ranks_per_node` is 0.
int nodes_of(Communicator const& communicator, int ranks_per_node);

/// Chooses the rows of a table that hold for a group, and returns their number of nodes. `stated` has the
/// numbers of nodes in all rows for the group's number of ranks; a row without a number of nodes counts as 0.
/// The first rule that applies decides:
/// - If `stated` has the group's number of nodes, returns this number.
/// - If `stated` has 0, returns 0.
/// - If the group's number of nodes is known, or `stated` is empty, returns nothing: no rows hold.
/// - If `stated` has only one number, returns this number. If it has several, throws std::invalid_argument.
std::optional<int> nodes_of_rows(RankGroup group, std::set<int> const& stated);

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

/// Measured times of collectives while no compute runs: one table for each verb, number of ranks and number
/// of nodes on which these ranks are. The bytes of a row are those of the whole vector in the wire format.
/// For an all-reduce or a reduce-scatter, this is the input of each rank. For an all-gather or a broadcast,
/// it is the output of each rank. A send and its receive are one transfer and have one table.
class CollectiveTables {
 public:
  /// The number of ranks of a table if neither its file nor the caller states the number. No group has 0
  /// ranks, so find() never returns such a table.
  static constexpr int unknown_ranks = 0;

  /// The result of source(): the table of the verb itself with share 1, or the table of its substitute with
  /// the substitute's share.
  struct Source {
    TableCost const* table;  ///< valid until the next set()
    double share;
    double operator()(std::int64_t bytes) const { return share * (*table)(bytes); }
  };

  /// Sets the table of a verb for groups with the ranks and nodes of `group`. If group.nodes is 0, the table
  /// holds for every number of nodes that has no table of its own.
  void set(Verb verb, RankGroup group, TableCost cost);
  /// Returns the table of a verb that holds for `group`, or nullptr if there is none. The pointer is valid
  /// until the next set(). Throws what nodes_of_rows() throws.
  TableCost const* find(Verb verb, RankGroup group) const;
  /// Returns whether find() returns a table that states its number of nodes. Throws what nodes_of_rows()
  /// throws.
  bool states_nodes(Verb verb, RankGroup group) const;
  /// Returns the table of a verb, or of its substitute if the verb has none. Returns nothing if neither has a
  /// table. Throws what nodes_of_rows() throws.
  std::optional<Source> source(Verb verb, RankGroup group) const;

 private:
  using ByNodes = std::map<int, TableCost>;
  ByNodes::value_type const* entry(Verb verb, RankGroup group) const;

  std::map<std::pair<Verb, int>, ByNodes> tables_;
};

/// Reads a CSV file with the columns `verb,ranks,bytes,seconds,nodes`, as `ddproxy collectives` writes it. A
/// row without a number of nodes, or with 0, holds for each number of nodes that has no rows of its own.
/// Without a column `verb` all rows are all-reduces. If there is no column `ranks`, all rows are for groups
/// of `ranks` ranks (the argument) and for no others, because a time depends on the number of ranks. A caller
/// that does not know the number passes CollectiveTables::unknown_ranks. If a verb has only one size for a
/// number of ranks and a number of nodes, this row is left out, because a table needs two sizes. Throws what
/// the readers of csv.hpp throw.
CollectiveTables read_collectives(std::filesystem::path const& file, int ranks);

}  // namespace ddproxy::model
