// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "miniapp/input/config.hpp"
#include "miniapp/input/options/options.hpp"
#include "model/cost/allreduce_topology.hpp"

namespace ddproxy {

/// A file with tables of collectives.
struct TableFile {
  std::filesystem::path path;
  /// Number of ranks of all rows, if the file has no column `ranks`. It comes from --table-ranks or
  /// [allreduce] ranks. 0: the column states it, or it is unknown.
  int ranks;
};

/// Returns the table files that the options name, or the table file of the input if the options name none.
/// Throws std::invalid_argument if --table-ranks has more numbers than there are files without a column
/// `ranks`.
std::vector<TableFile> table_files(PredictOptions const& options, Config const& config);

/// Returns the number of ranks on a node from the options, or from the input if the options do not state it.
/// Returns 0 if neither states it.
int ranks_per_node(PredictOptions const& options, Config const& config);

/// The all-reduce tables with their numbers of ranks (0: not stated), and warnings about the tables.
struct AllreduceTables {
  std::vector<model::RankedTable> all;
  std::vector<std::filesystem::path> files;  ///< [table] the file that has this table
  std::vector<std::string> warnings;
};

/// Reads the all-reduce tables of table_files() for groups of consecutive ranks. Throws std::invalid_argument
/// with one line if there are no tables, if two tables are for the same number of ranks, or if a table is
/// wrong.
AllreduceTables read_allreduce_tables(PredictOptions const& options, Config const& config);

/// Returns whether there is a table for `ranks` ranks.
bool has_ranks(AllreduceTables const& tables, int ranks);
/// Returns the number of ranks of each table.
std::vector<int> ranks_of(AllreduceTables const& tables);

}  // namespace ddproxy
