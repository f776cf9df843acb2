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

#include "results/file/reader.hpp"
#include "results/file/schema.hpp"
#include "results/output/text_file.hpp"

namespace ddproxy::results {

/// Writes a results file (docs/results.md, schema 1) through PATH.part. HDF5 holds the file in memory; each
/// flush writes all of it to a fresh file, which then takes the name PATH.part. So PATH.part is whole at
/// every moment, and a kill loses what was written since the last flush. The memory is twice the file's size.
/// Datasets are named by their path in the schema, for instance "/sweep/measured"; units, long_name and the
/// names of the dimensions come from there. A path that the schema does not have is a std::logic_error, a
/// failing write a std::runtime_error naming the file.
class Writer {
 public:
  /// Creates PATH.part; what an earlier run left there is kept under another name. Throws
  /// std::invalid_argument where that cannot be done, saying why: another program is writing it, for
  /// instance, which goes on unharmed. Throws std::runtime_error where the disk is full.
  explicit Writer(std::filesystem::path path);
  ~Writer();  ///< flushes, without a word where that fails; PATH.part stays, with complete = 0
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

  /// Writes the whole file, synced to the disk. Throws std::runtime_error that names PATH.part; what was
  /// flushed before is then still there, and nothing more can be written.
  void flush();
  /// Flushes where 100 times the cost of the last flush has passed since: less than 1 % of a run's time.
  void flush_if_due();
  /// Reads what was written so far, from memory, and what is written later too. It may outlive the writer.
  Reader reader() const;

  /// Sets complete = 1, flushes, and renames PATH.part to PATH. The texts `beside` take their names right
  /// after it, and older ones are removed right before it: they never stand beside another run's file. Throws
  /// std::runtime_error, also where a text cannot be written; PATH is then finished all the same.
  void finish(std::vector<TextFile> const& beside = {});

  /// What the user should know: the new name of an earlier run's part, a file system without locks.
  std::vector<std::string> warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ddproxy::results
