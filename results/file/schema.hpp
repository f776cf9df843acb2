// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace ddproxy::results {

/// The schema version that this program writes and reads.
inline constexpr std::int64_t schema_version = 1;

/// Holds the value of an attribute.
using Attribute = std::variant<std::int64_t, double, std::string>;

/// The type of a dataset's values.
enum class Type { real, integer, text };

/// Describes one dataset of the results file (docs/results.md).
struct Dataset {
  std::string_view path;                       ///< for instance "/sweep/measured"
  Type type;                                   ///< type of the values; a missing real value is NaN
  std::array<std::string_view, 3> dimensions;  ///< names, slowest dimension first; unused ones are empty
  std::string_view units;                      ///< "1" for names and for numbers without a unit
  std::string_view long_name;                  ///< the meaning of the values, for readers of the file
  /// Integer datasets only: values may be -1, which means "not known" or "does not apply".
  bool optional = false;

  std::size_t rank() const;  ///< returns the number of dimensions
  std::string_view group() const { return path.substr(0, path.rfind('/')); }
  std::string_view name() const { return path.substr(path.rfind('/') + 1); }
  /// Returns true if the dataset holds the coordinates of a dimension, as CF and netCDF define it: it has one
  /// dimension, and this dimension has the name of the dataset.
  bool is_coordinate() const { return rank() == 1 && dimensions[0] == name(); }
};

/// The groups whose datasets can grow along the dimension `sample`. They hold the samples of a calibration or
/// of a sweep. The number of samples is unknown until the calibration or the sweep has ended. But the file is
/// flushed earlier, too, with the samples so far.
inline constexpr std::array<std::string_view, 4> growing_groups{"/layers", "/allreduce", "/calibration",
                                                                "/sweep"};
inline constexpr std::string_view growing_dimension = "sample";

/// Describes an attribute of a group. Programs that read files may rely on the listed attributes; a file may
/// have additional ones.
struct AttributeOf {
  std::string_view group;
  std::string_view name;
  std::string_view meaning;
};

/// Returns all datasets of schema 1, group by group.
std::span<const Dataset> schema();

/// Returns all attributes of schema 1.
std::span<const AttributeOf> schema_attributes();

/// Returns the dataset with the path `path`, or nullptr if the schema has none.
Dataset const* find_dataset(std::string_view path);

/// Returns the dataset with the path `path`. Throws std::logic_error if the schema has none.
Dataset const& known_dataset(std::string_view path);

/// Returns "real", "integer" or "text".
std::string_view name_of(Type type);

}  // namespace ddproxy::results
