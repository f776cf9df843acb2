// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "miniapp/analysis/figure_of_merit.hpp"
#include "miniapp/measure/calibration/measure.hpp"
#include "model/predict/machine_state.hpp"
#include "results/file/writer.hpp"

// Functions that turn rows of measurements into datasets of the results file.
namespace ddproxy {

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

/// Returns one value of each row. `get` is a function or a pointer to a member.
template <class Out, class Rows, class Get>
Out column(Rows const& rows, Get get) {
  Out values;
  for (auto const& row : rows) values.push_back(std::invoke(get, row));
  return values;
}

/// Values of a dataset [row, sample], row by row.
struct Matrix {
  Reals values;
  std::vector<std::size_t> extents;
};

/// Returns the list of values get(row) of each row. All rows are as long as the longest list, and at least
/// `least`. Shorter lists are followed by NaN.
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

/// Writes /layers/PREFIXseconds, and the probes of each pass if there are any.
void write_passes(results::Writer& writer, std::string const& prefix, OperationTimes const& times);

/// Writes PREFIXprobe_before and PREFIXprobe_after [row, sample]. Rows with fewer than `samples` probes are
/// followed by NaN. Writes nothing if nothing was probed.
void write_probes(results::Writer& writer, std::string const& prefix, std::vector<model::Probes> const& rows,
                  std::size_t samples);

}  // namespace ddproxy
