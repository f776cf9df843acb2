// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/csv.hpp"

#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "model/text/csv_table.hpp"
#include "model/text/echo.hpp"

namespace ddproxy::model {
namespace {

std::string const& name_in(CsvTable const& table, std::size_t row, std::string const& column) {
  std::string const& name = table.text(row, column);
  if (name.empty()) table.fail(row, "the " + column + " is empty");
  if (!is_printable(name))
    table.fail(row, "the " + column + " \"" + echo(name) + "\" has control characters or is not UTF-8");
  return name;
}

std::set<std::int64_t> known_ranks(CsvTable const& table) {
  std::set<std::int64_t> known;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t ranks = table.integer(row, "ranks");
    if (ranks < 1 || ranks > std::numeric_limits<int>::max())
      table.fail(row, "ranks must be from 1 to 2147483647");
    known.insert(ranks);
  }
  return known;
}

/// Returns the number of ranks whose rows are wanted; 0 if the file has no `ranks` column.
std::int64_t wanted_ranks(CsvTable const& table, std::filesystem::path const& file, int ranks) {
  if (!table.has("ranks")) return 0;
  const std::set<std::int64_t> known = known_ranks(table);
  if (ranks == 0 && known.size() == 1) return *known.begin();
  if (known.contains(ranks)) return ranks;
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

double speed(CsvTable const& table, std::size_t row, char const* column) {
  const double value = table.number(row, column);
  if (value <= 0 || value > 1) table.fail(row, std::string(column) + " must be above 0 and at most 1");
  return value;
}

}  // namespace

std::vector<LayerTime> read_layer_times(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"layer", "seconds"});
  table.expect_unique("layer");
  std::vector<LayerTime> layers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    layers.push_back({name_in(table, row, "layer"), table.seconds(row)});
  }
  return layers;
}

std::vector<LayerSize> read_layer_sizes(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"layer", "numel"});
  table.expect_unique("layer");
  std::vector<LayerSize> layers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    layers.push_back({name_in(table, row, "layer"), table.integer(row, "numel")});
  }
  return layers;
}

std::vector<GradientTime> read_gradient_times(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"name", "numel", "seconds"});
  table.expect_unique("name");
  std::vector<GradientTime> gradients;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    gradients.push_back({name_in(table, row, "name"), table.integer(row, "numel"), table.seconds(row)});
  }
  return gradients;
}

std::vector<CostPoint> read_allreduce(std::filesystem::path const& file, int ranks) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "seconds"}, {"ranks"});
  const std::int64_t wanted = wanted_ranks(table, file, ranks);
  std::map<std::int64_t, CostPoint> points;  // sorted by bytes; the file may have any order
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const CostPoint point = cost_point(table, row);
    if (wanted != 0 && table.integer(row, "ranks") != wanted) continue;
    if (!points.emplace(point.bytes, point).second) {
      table.fail(row, "duplicate bytes \"" + std::to_string(point.bytes) + "\"");
    }
  }
  std::vector<CostPoint> result;
  for (auto const& [bytes, point] : points) result.push_back(point);
  return result;
}

std::vector<int> allreduce_ranks(std::filesystem::path const& file) {
  const CsvTable table(file);
  if (!table.has("ranks")) return {};
  std::vector<int> ranks;
  for (const std::int64_t number : known_ranks(table)) ranks.push_back(static_cast<int>(number));
  return ranks;
}

std::vector<SpeedPoint> read_contention(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "kappa", "gamma"});
  std::map<std::int64_t, Speeds> points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t bytes = table.integer(row, "bytes");
    if (bytes == 0) table.fail(row, "bytes must be positive");
    const auto [point, is_new] =
        points.emplace(bytes, Speeds{speed(table, row, "kappa"), speed(table, row, "gamma")});
    if (!is_new) table.fail(row, "duplicate bytes \"" + std::to_string(bytes) + "\"");
  }
  std::vector<SpeedPoint> rising;
  for (auto const& [bytes, speeds] : points) rising.push_back({bytes, speeds});
  return rising;
}

std::vector<CurvePoint> read_curve(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"bucket_mib", "seconds"});
  table.expect_unique("bucket_mib");
  std::vector<CurvePoint> curve;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const CurvePoint point{table.number(row, "bucket_mib"), table.seconds(row)};
    if (point.bucket_mib <= 0) table.fail(row, "bucket_mib must be positive");
    curve.push_back(point);
  }
  return curve;
}

bool has_column(std::filesystem::path const& file, std::string const& column) {
  return CsvTable(file).has(column);
}

}  // namespace ddproxy::model
