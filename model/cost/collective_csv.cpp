// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "model/cost/collective_tables.hpp"
#include "model/cost/csv.hpp"
#include "model/step/describe.hpp"
#include "model/text/csv_table.hpp"
#include "model/text/echo.hpp"

namespace ddproxy::model {
namespace {

/// Rows of a file without a column `verb` are all-reduces.
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
    table.fail(row, "ranks must be from 1 to 2147483647");
  return ranks;
}

std::set<std::int64_t> known_ranks(CsvTable const& table, Verb verb) {
  std::set<std::int64_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t ranks = ranks_in(table, row);
    if (verb_in(table, row) == verb) known.insert(ranks);
  }
  return known;
}

/// The number of ranks whose all-reduces are wanted; 0 where the file has no such column.
std::int64_t wanted_ranks(CsvTable const& table, std::filesystem::path const& file, int ranks) {
  if (!table.has("ranks")) return CollectiveTables::any_ranks;
  const std::set<std::int64_t> known = known_ranks(table, Verb::all_reduce);
  if (ranks == 0 && known.size() == 1) return *known.begin();
  if (known.contains(ranks)) return ranks;
  if (known.empty()) throw std::invalid_argument(file.string() + ": no row is of all_reduce");
  std::string list;
  for (const std::int64_t number : known) list += (list.empty() ? "" : ", ") + std::to_string(number);
  const std::string wish =
      ranks == 0 ? "state the number of ranks" : "no row for " + std::to_string(ranks) + " ranks";
  throw std::invalid_argument(file.string() + ": " + wish + "; the file holds " + echo(list, 200));
}

CostPoint cost_point(CsvTable const& table, std::size_t row) {
  const CostPoint point{table.integer(row, "bytes"), table.seconds(row)};
  if (point.bytes == 0) table.fail(row, "bytes must be positive");
  if (point.seconds <= 0) table.fail(row, "the time must be positive");
  return point;
}

/// The rows of a verb and a number of ranks by rising bytes; the order of the rows in the file is free.
std::vector<CostPoint> points_of(CsvTable const& table, Verb verb, std::int64_t ranks) {
  std::map<std::int64_t, CostPoint> points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const CostPoint point = cost_point(table, row);
    if (verb_in(table, row) != verb) continue;
    if (ranks != CollectiveTables::any_ranks && table.integer(row, "ranks") != ranks) continue;
    if (!points.emplace(point.bytes, point).second)
      table.fail(row, "duplicate bytes \"" + std::to_string(point.bytes) + "\"");
  }
  std::vector<CostPoint> rising;
  for (auto const& [bytes, point] : points) rising.push_back(point);
  return rising;
}

}  // namespace

std::vector<CostPoint> read_allreduce(std::filesystem::path const& file, int ranks) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "seconds"}, {"ranks", "verb"});
  auto points = points_of(table, Verb::all_reduce, wanted_ranks(table, file, ranks));
  if (points.empty()) throw std::invalid_argument(file.string() + ": no row is of all_reduce");
  return points;
}

std::vector<int> allreduce_ranks(std::filesystem::path const& file) {
  const CsvTable table(file);
  if (!table.has("ranks")) return {};
  std::vector<int> ranks;
  for (const std::int64_t number : known_ranks(table, Verb::all_reduce))
    ranks.push_back(static_cast<int>(number));
  return ranks;
}

CollectiveTables read_collectives(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "seconds"}, {"ranks", "verb"});
  CollectiveTables tables;
  for (const Verb verb : all_verbs) {
    const auto groups =
        table.has("ranks") ? known_ranks(table, verb) : std::set<std::int64_t>{CollectiveTables::any_ranks};
    for (const std::int64_t ranks : groups) {
      auto points = points_of(table, verb, ranks);
      if (points.size() > 1) tables.set(verb, static_cast<int>(ranks), TableCost(std::move(points)));
    }
  }
  return tables;
}

}  // namespace ddproxy::model
