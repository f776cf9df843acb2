// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "miniapp/input/options/options.hpp"
#include "model/predict/step_time_fit.hpp"

namespace ddproxy {

/// The share that a kind of kernel has in a step time: as published, and in the fitted time.
struct FittedShare {
  model::StepShare published;
  double fitted = 0;  ///< in [0, 1]
};

/// Published step times, and the times of a roofline that is fitted to some of them (docs/predict.md).
struct PublishedComparison {
  std::filesystem::path file;        ///< the table of times
  std::filesystem::path share_file;  ///< the table of shares; empty: there is none
  std::string source;                ///< what is known about the measurements; empty: nothing
  std::vector<model::SeriesFit> series;
  std::vector<FittedShare> shares;
};

/// The mean and the largest |error| of the rows to which the roofline was not fitted. An error is fitted time
/// / published time - 1.
struct ComparedError {
  std::size_t rows = 0;  ///< number of such rows; 0: the errors below mean nothing
  double mean = 0;
  double largest = 0;
  std::string worst;  ///< the case with the largest error
};
/// Returns the errors of one series.
ComparedError compared_error(model::SeriesFit const& series);

/// Reads a table of step times, fits a roofline and compares both. `against` is the path of the table, or
/// "published" for the table that comes with ddproxy. That table is searched for in shipped_inputs(), then in
/// the folder inputs of the working directory. If the table is FILE.csv and FILE-shares.csv exists in the
/// same folder, the shares are read from that file. Throws std::invalid_argument with one line for wrong
/// input.
PublishedComparison published_comparison(std::string const& against);

/// Returns the comparison as text: a table for each series, and the shares.
std::string describe(PublishedComparison const& comparison);

/// Returns the comparison as JSON, with the keys that docs/predict.md lists.
std::string to_json(PublishedComparison const& comparison);

/// Runs `step --against`. Prints the comparison to `out`, and writes it to the file of --json if that option
/// is given. Returns the exit code 0. Throws what published_comparison() throws, and std::invalid_argument if
/// --json would overwrite a table.
int step_against(Options const& options, std::ostream& out);

}  // namespace ddproxy
