// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "model/cost/collective_tables.hpp"
#include "model/cost/csv.hpp"
#include "model/step/describe.hpp"
#include "model/text/csv_table.hpp"
#include "model/text/echo.hpp"

namespace ddproxy::model {
namespace {

/// Returns the verb of a row. Without a column `verb` every row is an all-reduce.
Verb verb_in(CsvTable const& table, std::size_t row) {
  if (!table.has("verb")) return Verb::all_reduce;
  std::string const& text = table.text(row, "verb");
  if (const auto verb = find_verb(text)) return *verb;
  table.fail(row, "the verb \"" + echo(text) + "\" is unknown; use all_reduce, reduce_scatter, all_gather, " +
                      "broadcast, send or receive");
}

std::int64_t ranks_in(CsvTable const& table, std::size_t row) {
  const std::int64_t ranks = table.integer(row, "ranks");
  if (ranks < 1 || ranks > std::numeric_limits<int>::max())
    table.fail(row, "ranks is " + std::to_string(ranks) + "; it must be from 1 to 2147483647");
  return ranks;
}

/// Returns the number of nodes on which the ranks of a row are, or 0 if the row does not say it.
int nodes_in(CsvTable const& table, std::size_t row) {
  if (!table.has("nodes")) return 0;
  const std::int64_t nodes = table.integer(row, "nodes");
  const std::int64_t most = table.has("ranks") ? ranks_in(table, row) : std::numeric_limits<int>::max();
  if (nodes > most)
    table.fail(row, "nodes is " + std::to_string(nodes) +
                        "; it must be from 1 to the number of ranks, or 0 if it is not known");
  return static_cast<int>(nodes);
}

std::set<std::int64_t> known_ranks(CsvTable const& table, Verb verb) {
  std::set<std::int64_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t ranks = ranks_in(table, row);
    if (verb_in(table, row) == verb) known.insert(ranks);
  }
  return known;
}

/// Returns the number of ranks whose rows are to be read; `ranks` 0 stands for the only number in the file.
/// Returns nothing if the file has no column `ranks`: all rows are to be read.
std::optional<std::int64_t> wanted_ranks(CsvTable const& table, std::filesystem::path const& file,
                                         int ranks) {
  if (!table.has("ranks")) return std::nullopt;
  const std::set<std::int64_t> known = known_ranks(table, Verb::all_reduce);
  if (ranks == 0 && known.size() == 1) return *known.begin();
  if (known.contains(ranks)) return ranks;
  if (known.empty())
    throw std::invalid_argument(file.string() +
                                ": the table has no row with the verb all_reduce; add such rows");
  std::string list;
  for (const std::int64_t number : known) list += (list.empty() ? "" : ", ") + std::to_string(number);
  const std::string wish = ranks == 0 ? "the table covers several numbers of ranks; choose one"
                                      : "the table has no row for " + std::to_string(ranks) + " ranks";
  throw std::invalid_argument(file.string() + ": " + wish +
                              "; it has rows for these numbers of ranks: " + echo(list, 200));
}

/// Returns the numbers of nodes in the all-reduce rows of `ranks` ranks. If the file has no column `ranks`,
/// `ranks` is empty, and all all-reduce rows count. A row without a number of nodes counts as 0.
std::set<int> stated_nodes(CsvTable const& table, std::optional<std::int64_t> ranks) {
  std::set<int> stated;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (verb_in(table, row) == Verb::all_reduce && (!ranks || table.integer(row, "ranks") == ranks))
      stated.insert(nodes_in(table, row));
  return stated;
}

/// Returns the number of nodes that nodes_of_rows() chooses for `group` from the numbers of stated_nodes().
/// Returns nothing if stated_nodes() finds no rows. Throws std::invalid_argument if it finds rows, but none
/// of them holds for `group`.
std::optional<int> wanted_nodes(CsvTable const& table, std::filesystem::path const& file,
                                std::optional<std::int64_t> ranks, RankGroup group) {
  const auto stated = stated_nodes(table, ranks);
  const auto nodes = nodes_of_rows(group, stated);
  if (nodes || stated.empty()) return nodes;
  throw std::invalid_argument(file.string() + ": the table has no all_reduce row for " + group_text(group) +
                              ", only for other numbers of nodes; add such rows, or correct [machine] "
                              "ranks_per_node");
}

CostPoint cost_point(CsvTable const& table, std::size_t row) {
  const CostPoint point{table.integer(row, "bytes"), table.seconds(row)};
  if (point.bytes == 0) table.fail(row, "bytes is 0; it must be positive");
  if (point.seconds <= 0) table.fail(row, "the time is 0; it must be positive");
  return point;
}

using Points = std::map<std::int64_t, CostPoint>;  // sorted by bytes; the rows of the file may have any order

void add_point(CsvTable const& table, std::size_t row, Points& points) {
  const CostPoint point = cost_point(table, row);
  if (!points.emplace(point.bytes, point).second)
    table.fail(row, "duplicate bytes \"" + std::to_string(point.bytes) + "\"; remove one row");
}

std::vector<CostPoint> rising(Points const& points) {
  std::vector<CostPoint> all;
  for (auto const& [bytes, point] : points) all.push_back(point);
  return all;
}

}  // namespace

std::vector<CostPoint> read_allreduce(std::filesystem::path const& file, int ranks, int ranks_per_node) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "seconds"}, {"ranks", "verb", "nodes"});
  const auto wanted = wanted_ranks(table, file, ranks);
  const auto nodes =
      wanted_nodes(table, file, wanted, neighbours(static_cast<int>(wanted.value_or(ranks)), ranks_per_node));
  Points points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    cost_point(table, row);  // reports errors also in rows that are then skipped
    if (verb_in(table, row) != Verb::all_reduce || nodes_in(table, row) != nodes) continue;
    if (!wanted || table.integer(row, "ranks") == wanted) add_point(table, row, points);
  }
  if (points.empty())
    throw std::invalid_argument(file.string() +
                                ": the table has no row with the verb all_reduce; add such rows");
  return rising(points);
}

std::vector<int> allreduce_ranks(std::filesystem::path const& file, int ranks_per_node) {
  const CsvTable table(file);
  if (!table.has("ranks")) return {};
  std::vector<int> ranks;
  for (const std::int64_t number : known_ranks(table, Verb::all_reduce)) {
    const RankGroup group = neighbours(static_cast<int>(number), ranks_per_node);
    if (group.nodes == 0 || nodes_of_rows(group, stated_nodes(table, number))) ranks.push_back(group.ranks);
  }
  return ranks;
}

CollectiveTables read_collectives(std::filesystem::path const& file, int ranks) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "seconds"}, {"ranks", "verb", "nodes"});
  std::map<std::tuple<Verb, std::int64_t, int>, Points> groups;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t of_row = table.has("ranks") ? ranks_in(table, row) : ranks;
    const Verb verb = verb_in(table, row);
    add_point(table, row, groups[{verb == Verb::receive ? Verb::send : verb, of_row, nodes_in(table, row)}]);
  }
  CollectiveTables tables;
  for (auto const& [group, points] : groups) {
    auto const& [verb, of_group, nodes] = group;
    if (points.size() > 1) tables.set(verb, {static_cast<int>(of_group), nodes}, TableCost(rising(points)));
  }
  return tables;
}

}  // namespace ddproxy::model
