// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/schema.hpp"

namespace ddproxy::results {

/// Writes a results file (docs/results.md, schema 1) through PATH.part; what was flushed survives a kill.
/// Datasets are named by their path in the schema, for instance "/sweep/measured"; units, long_name and the
/// names of the dimensions come from there. A path that the schema does not have is a std::logic_error, a
/// failing write a std::runtime_error naming the file.
class Writer {
 public:
  /// Creates PATH.part, in place of one that a killed run left. Throws std::invalid_argument where that
  /// cannot be done, saying why: another program has it open, for instance, which goes on unharmed. Throws
  /// std::runtime_error where the disk is full.
  explicit Writer(std::filesystem::path path);
  ~Writer();  ///< closes without finishing: PATH.part stays, with complete = 0
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// Sets an attribute of a group ("/" for the root), replacing an older value.
  void attribute(std::string_view group, std::string_view name, Attribute const& value);

  /// Writes a whole dataset. `extents` holds the length of each dimension, slowest first; empty means
  /// one-dimensional.
  void write(std::string_view dataset, std::span<const double> values, std::vector<std::size_t> extents = {});
  void write(std::string_view dataset, std::span<const std::int64_t> values,
             std::vector<std::size_t> extents = {});
  void write(std::string_view dataset, std::span<const std::string> values);

  /// Creates a dataset of doubles filled with NaN, to be filled by write_part().
  void reserve(std::string_view dataset, std::vector<std::size_t> extents);

  /// Makes room for so many samples of the sweep in all datasets that have that dimension (`sample` in
  /// /sweep). New values are NaN. Not fewer than there were before.
  void grow_samples(std::size_t samples);

  /// Writes the block of `counts` values that starts at `offsets`.
  void write_part(std::string_view dataset, std::vector<std::size_t> const& offsets,
                  std::vector<std::size_t> const& counts, std::span<const double> values);

  void flush();   ///< to the operating system: a later kill loses nothing written before
  void finish();  ///< sets complete = 1, closes, syncs to the disk, renames PATH.part to PATH

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ddproxy::results
