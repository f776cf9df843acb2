// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/predict/allreduce_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "miniapp/predict/table_warnings.hpp"
#include "model/cost/csv.hpp"
#include "model/cost/topology.hpp"

namespace ddproxy {
namespace {

using Path = std::filesystem::path;
using Tables = AllreduceTables;

void add_table(Tables& tables, Path const& file, int ranks, std::vector<model::CostPoint> const& points) {
  if (has_ranks(tables, ranks))
    throw std::invalid_argument(fmt::format("{}: another table already covers {}; give one of them",
                                            file.string(), model::ranks_text(ranks)));
  try {
    const model::TableCost cost(points);  // throws if the points are wrong
    tables.all.push_back({ranks, points});
    tables.files.push_back(file);
    if (const auto warning = fall_warning(points, file); !warning.empty()) tables.warnings.push_back(warning);
  } catch (std::invalid_argument const& error) {
    throw std::invalid_argument(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

bool has_ranks(Tables const& tables, int ranks) {
  return std::ranges::any_of(tables.all, [ranks](auto const& table) { return table.ranks == ranks; });
}

std::vector<int> ranks_of(Tables const& tables) {
  std::vector<int> ranks;
  for (auto const& table : tables.all) ranks.push_back(table.ranks);
  return ranks;
}

std::vector<TableFile> table_files(PredictOptions const& options, Config const& config) {
  std::vector<Path> paths = options.allreduce;
  if (paths.empty() && !config.table.empty()) paths = {config.table};
  std::vector<int> unsaid = options.table_ranks;
  if (unsaid.empty() && config.ranks > 0) unsaid = {config.ranks};
  std::vector<TableFile> files;
  auto next = unsaid.begin();
  for (auto const& path : paths) {
    const bool says = !model::allreduce_ranks(path).empty();
    files.push_back({path, says || next == unsaid.end() ? 0 : *next++});
  }
  if (next != unsaid.end() && !options.table_ranks.empty() && !paths.empty())
    throw std::invalid_argument(
        fmt::format("--table-ranks: {} numbers are given, but the number of tables without a column ranks is "
                    "{}; give one number for each of these tables",
                    unsaid.size(), next - unsaid.begin()));
  return files;
}

int ranks_per_node(PredictOptions const& options, Config const& config) {
  return options.ranks_per_node > 0 ? options.ranks_per_node : config.ranks_per_node;
}

Tables read_allreduce_tables(PredictOptions const& options, Config const& config) {
  const std::vector<TableFile> files = table_files(options, config);
  if (files.empty())
    throw std::invalid_argument(
        "predict: no all-reduce times are known; give either --allreduce FILE, or all of --ranks N, "
        "--ranks-per-node N, --link-latency SECONDS and --link-bandwidth GBPS; with several nodes also "
        "--node-latency SECONDS and --node-bandwidth GBPS");
  const int per_node = ranks_per_node(options, config);
  Tables tables;
  for (auto const& [path, unsaid] : files) {
    for (const int ranks : model::allreduce_ranks(path, per_node))
      add_table(tables, path, ranks, model::read_allreduce(path, ranks, per_node));
    if (model::allreduce_ranks(path).empty())
      add_table(tables, path, unsaid, model::read_allreduce(path, unsaid, per_node));
  }
  if (tables.all.empty())
    throw std::invalid_argument(
        fmt::format("predict: no all_reduce row can be used, because with {} ranks on a node every row "
                    "contradicts its column `nodes`; add rows with the right number of nodes, or correct "
                    "--ranks-per-node or [machine] ranks_per_node",
                    per_node));
  return tables;
}

}  // namespace ddproxy
