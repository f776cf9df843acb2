// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapp/input/config.hpp"
#include "model/predict/graph/collective_costs.hpp"
#include "model/step/step_graph.hpp"

// The costs of the collectives of a step, from tables. A verb is the kind of a collective. x is the full size
// of a collective in bytes on the wire. The time is called a(x) for an all-reduce, rs(x) for a
// reduce-scatter, ag(x) for an all-gather and bc(x) for a broadcast.
namespace ddproxy {

/// How a step uses one verb on one communicator.
struct VerbUse {
  int ranks = 1;                                 ///< number of ranks in a group of the communicator
  model::DataType wire = model::DataType::fp32;  ///< type on the wire of the largest collective
  std::vector<std::int64_t> bytes = {};          ///< x of each collective, in the order of the graph
};
using VerbKey = std::pair<model::Verb, model::CommunicatorId>;

/// Returns the verbs that a step uses on each communicator. Collectives over groups of one rank are left out,
/// because they take no time. Reads the graph of the first class of ranks only, because the collectives of
/// all classes have the same verbs, communicators and x.
std::map<VerbKey, VerbUse> verb_uses(model::RankGraphs const& step);

/// The seconds of a verb over groups of ranks as a function of x.
struct VerbTable {
  model::AllreduceCost cost;
  /// True if the table states that its groups are on as many nodes as the group that was asked for. False if
  /// it states no number of nodes.
  bool states_nodes = false;
};

/// Returns the table of a verb that holds for groups with the ranks and nodes of `group`. Returns nothing if
/// there is no such table. `key` names the verb and the communicator. If a table does not depend on which
/// ranks are in a group, it is returned for every communicator.
using VerbTables = std::function<std::optional<VerbTable>(VerbKey key, model::RankGroup group)>;

/// Returns the tables that a CSV file has. If the file has no column `ranks`, its times are for groups of
/// `ranks` ranks, as in read_collectives() (model/cost/collective_tables.hpp). Throws as this function does.
VerbTables tables_of_file(std::filesystem::path const& file, int ranks);
/// Returns the tables of an input whose collectives are replayed. a(x) of all ranks is input_cost()
/// (workload.hpp). All other times come from the file of [allreduce] table.
VerbTables replayed_tables(Config const& config);

/// The costs of a step's collectives. There is a warning in each of these cases:
/// - A cost was derived from the table of another verb.
/// - Communicators with different groups use the same table, and the table does not state on how many nodes
///   its groups are.
/// - A group uses such a table, but is on more nodes than the same number of consecutive ranks would be.
struct VerbCosts {
  model::CollectiveCosts costs;
  std::vector<std::string> warnings;
};

/// Returns the costs of the collectives of `step`, as costed_step_of() needs them: as functions of bytes. An
/// element counts as 4 bytes, whatever it takes on the wire. Selects the table of each collective by its
/// verb, and by the number of ranks and of nodes of its groups. The number of nodes follows from
/// `ranks_per_node`, the number of consecutive ranks on each node; 0: not known. If a reduce-scatter or an
/// all-gather has no table, its cost is half of a(x) of the same ranks, and there is a warning. If a
/// collective then still has no cost, throws std::invalid_argument; the message is one line that names every
/// missing time.
VerbCosts verb_costs(model::RankGraphs const& step, VerbTables const& tables, int ranks_per_node);

}  // namespace ddproxy
