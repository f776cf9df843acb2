// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "miniapp/measure/calibration/measure.hpp"
#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "model/predict/machine_state.hpp"
#include "results/file/writer.hpp"

// Functions that turn rows of measurements into datasets of the results file.
namespace ddproxy {

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// Returns one value get(row) for each row. `get` is a function or a pointer to a member.
template <class Out, class Rows, class Get>
Out column(Rows const& rows, Get get) {
  Out values;
  for (auto const& row : rows) values.push_back(std::invoke(get, row));
  return values;
}

/// Holds the values of a dataset [row, sample], row by row, and the lengths of the two dimensions.
struct Matrix {
  Reals values;
  std::vector<std::size_t> extents;
};

/// Returns a matrix whose rows are the lists get(row). A row of the matrix has as many values as the longest
/// list, but at least `least`. NaN fills the rows of shorter lists.
template <class Rows, class Get>
Matrix matrix(Rows const& rows, Get get, std::size_t least = 0) {
  for (auto const& row : rows) least = std::max(least, std::invoke(get, row).size());
  Matrix made{{}, {rows.size(), least}};
  for (auto const& row : rows) {
    auto const& values = std::invoke(get, row);
    made.values.insert(made.values.end(), values.begin(), values.end());
    made.values.insert(made.values.end(), least - values.size(), not_available);
  }
  return made;
}

/// Writes the dataset /layers/PREFIXseconds [rank, operation, pass]. If the passes were probed, also writes
/// /layers/PREFIXprobe_before and /layers/PREFIXprobe_after [pass]. PREFIX is the text `prefix`. A probe
/// shows the state of the machine (docs/glossary.md).
void write_passes(results::Writer& writer, std::string const& prefix, OperationTimes const& times);

/// Writes the datasets PREFIXprobe_before and PREFIXprobe_after [row, sample]. PREFIX is the text `prefix`,
/// for instance "/allreduce/". NaN fills rows with fewer than `samples` probes. Writes nothing if nothing was
/// probed.
void write_probes(results::Writer& writer, std::string const& prefix, std::vector<model::Probes> const& rows,
                  std::size_t samples);

}  // namespace ddproxy
