// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/file/schema.hpp"

namespace ddproxy::results {

/// Reads a results file (docs/results.md, schema 1).
///
/// The methods throw std::invalid_argument with one line that names the file, if the file is not an HDF5
/// file, is damaged, has another schema version, or lacks the requested dataset. They throw std::logic_error
/// if the schema does not have the requested path. A file of an interrupted run is accepted; complete() then
/// returns false.
class Reader {
 public:
  /// Opens the file and checks its schema version.
  explicit Reader(std::filesystem::path path);
  /// Reads a file that this process has opened in HDF5; `open_file` is its identifier. The file may be in
  /// memory. The reader keeps the file open, even if the caller closes `open_file`. `path` is used in
  /// messages only.
  Reader(std::filesystem::path path, std::int64_t open_file);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  std::filesystem::path const& path() const;
  /// Returns true if the run finished.
  bool complete() const;

  /// Returns true if the dataset exists.
  bool has(std::string_view dataset) const;
  /// Returns the paths of those datasets of the schema that the file has.
  std::vector<std::string> datasets() const;

  /// Returns the attribute `name` of a group ("/" for the root). Returns nothing if the group or the
  /// attribute does not exist.
  std::optional<Attribute> attribute(std::string_view group, std::string_view name) const;
  /// Returns the attribute as text; numbers are converted. Returns `otherwise` if it does not exist.
  std::string text(std::string_view group, std::string_view name, std::string const& otherwise = "") const;

  /// The next methods read a dataset. extents() returns the lengths of its dimensions, slowest first. The
  /// other methods return all values in the order of the file: the last index varies fastest.
  std::vector<std::size_t> extents(std::string_view dataset) const;  ///< empty for a scalar
  std::vector<double> reals(std::string_view dataset) const;         ///< also reads integer datasets
  std::vector<std::int64_t> integers(std::string_view dataset) const;
  std::vector<std::string> texts(std::string_view dataset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ddproxy::results
