// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#include "model/cost/csv.hpp"

#include <map>

#include "model/text/csv_table.hpp"
#include "model/text/echo.hpp"

namespace ddproxy::model {
namespace {

std::string const& name_in(CsvTable const& table, std::size_t row, std::string const& column) {
  std::string const& name = table.text(row, column);
  if (name.empty()) table.fail(row, "the field " + column + " is empty; give a name");
  if (!is_printable(name))
    table.fail(row,
               "the " + column + " \"" + echo(name) + "\" has control characters or is not UTF-8; rename it");
  return name;
}

double speed(CsvTable const& table, std::size_t row, char const* column) {
  const double value = table.number(row, column);
  if (value <= 0 || value > 1)
    table.fail(row,
               std::string(column) + " is " + table.text(row, column) + "; it must be above 0 and at most 1");
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

std::vector<SpeedPoint> read_contention(std::filesystem::path const& file) {
  const CsvTable table(file);
  table.expect_columns({"bytes", "kappa", "gamma"});
  std::map<std::int64_t, Speeds> points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int64_t bytes = table.integer(row, "bytes");
    if (bytes == 0) table.fail(row, "bytes is 0; it must be positive");
    const auto [point, is_new] =
        points.emplace(bytes, Speeds{speed(table, row, "kappa"), speed(table, row, "gamma")});
    if (!is_new) table.fail(row, "duplicate bytes \"" + std::to_string(bytes) + "\"; remove one row");
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
    if (point.bucket_mib <= 0) table.fail(row, "bucket_mib is 0; it must be positive");
    curve.push_back(point);
  }
  return curve;
}

bool has_column(std::filesystem::path const& file, std::string const& column) {
  return CsvTable(file).has(column);
}

}  // namespace ddproxy::model
