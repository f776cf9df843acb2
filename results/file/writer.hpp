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

/// Writes a results file (docs/results.md, schema 1).
///
/// Problem: a run may be killed at any time, and its results up to then must remain readable. HDF5 therefore
/// holds the file in memory. Each flush writes the whole file under a temporary name, and renames it to
/// PATH.part. PATH.part can thus be read at every moment, and a kill loses only what was written since the
/// last flush. The root attribute `complete` is 0 until finish() sets it to 1. The memory needed is twice the
/// size of the file.
///
/// Order of calls: construct the writer, set attributes and write datasets in any order, call flush_if_due()
/// from time to time, and call finish() last. finish() renames PATH.part to PATH.
///
/// Datasets are named by their path in the schema, for instance "/sweep/measured". Their units, long_name and
/// dimension names come from the schema. Functions throw std::logic_error if the schema does not have the
/// path, or if the type or the number of the values does not fit the dataset. They throw std::runtime_error
/// with the name of the file if a write fails. After a failed write the writer can no longer be used.
class Writer {
 public:
  /// Creates PATH.part. If an earlier run left a PATH.part, that file is kept under another name. Throws
  /// std::invalid_argument with the reason if PATH.part cannot be created, for instance because another
  /// program is writing it. The file of the other program is not changed. Throws std::runtime_error if the
  /// disk is full.
  explicit Writer(std::filesystem::path path);
  ~Writer();  ///< flushes and ignores a failure; PATH.part stays, with complete = 0
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// Sets an attribute of a group ("/" for the root) and replaces an older value.
  void attribute(std::string_view group, std::string_view name, Attribute const& value);

  /// Writes a whole dataset. `extents` holds the length of each dimension, slowest first. It may be empty for
  /// a scalar, and for a dataset with one dimension, which then has the length of `values`. A second call
  /// replaces the values. The second call may have more samples than the first one if the dataset is in
  /// /layers, /allreduce, /calibration or /sweep (growing_groups in schema.hpp). The other datasets of the
  /// group that have the dimension `sample` then grow to the same number of samples. Their new real values
  /// are NaN.
  void write(std::string_view dataset, std::span<const double> values, std::vector<std::size_t> extents = {});
  void write(std::string_view dataset, std::span<const std::int64_t> values,
             std::vector<std::size_t> extents = {});
  void write(std::string_view dataset, std::span<const std::string> values);

  /// Creates a dataset and fills it with NaN, or with -1 if it has integers that may be -1
  /// (Dataset::optional). write_part() then writes its values.
  void reserve(std::string_view dataset, std::vector<std::size_t> extents);

  /// Grows the dimension `sample` to `samples` in all datasets of /sweep that have it. New real values are
  /// NaN. `samples` must not be smaller than before.
  void grow_samples(std::size_t samples);

  /// Writes a block of a dataset that exists already, see reserve(). The block starts at the index `offsets`
  /// and has the lengths `counts`; both have one entry for each dimension, slowest first.
  void write_part(std::string_view dataset, std::vector<std::size_t> const& offsets,
                  std::vector<std::size_t> const& counts, std::span<const double> values);
  void write_part(std::string_view dataset, std::vector<std::size_t> const& offsets,
                  std::vector<std::size_t> const& counts, std::span<const std::int64_t> values);

  /// Writes the whole file and syncs it to the disk. If this fails, throws std::runtime_error that names
  /// PATH.part. The previous flush is then still on the disk, and the writer can no longer be used.
  void flush();
  /// Flushes if there were changes and if 100 times the duration of the last flush has passed since it ended.
  /// Flushes thus take less than 1 % of a run's time.
  void flush_if_due();
  /// Returns a reader of the content in memory, including what is written later. It may outlive the writer.
  Reader reader() const;

  /// Sets complete = 1, flushes, and renames PATH.part to PATH. It then gives the text files `beside` their
  /// final names; until then they have temporary names. Older files with these names are removed just before
  /// PATH.part is renamed. So text files of an older run never lie next to the new PATH. Throws
  /// std::runtime_error if a file cannot be written. PATH is complete even if a text file could not be
  /// written.
  void finish(std::vector<TextFile> const& beside = {});

  /// Returns warnings for the user. There are two possible warnings. One gives the new name of the PATH.part
  /// that an earlier run left. The other says that the file system has no locks.
  std::vector<std::string> warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ddproxy::results
