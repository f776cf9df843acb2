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

/// Reads a results file (docs/results.md, schema 1). Throws std::invalid_argument, one line that names the
/// file, where it is no HDF5 file, is damaged, is of another schema version, or lacks what is asked for. A
/// file of an interrupted run is accepted: complete() is then false.
class Reader {
 public:
  explicit Reader(std::filesystem::path path);
  /// Of a file that this process has open under the identifier `open_file` of HDF5, and that may lie in
  /// memory. The content stays for as long as the reader lives, also where the identifier is closed.
  Reader(std::filesystem::path path, std::int64_t open_file);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  std::filesystem::path const& path() const;
  bool complete() const;

  bool has(std::string_view dataset) const;
  std::vector<std::string> datasets() const;  ///< the paths of the schema's datasets that are there

  /// Nothing where the group or the attribute is not there.
  std::optional<Attribute> attribute(std::string_view group, std::string_view name) const;
  /// The attribute as text, numbers too; `otherwise` where it is not there.
  std::string text(std::string_view group, std::string_view name, std::string const& otherwise = "") const;

  std::vector<std::size_t> extents(std::string_view dataset) const;  ///< slowest first; empty for a scalar
  std::vector<double> reals(std::string_view dataset) const;         ///< of an integer dataset too
  std::vector<std::int64_t> integers(std::string_view dataset) const;
  std::vector<std::string> texts(std::string_view dataset) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ddproxy::results
