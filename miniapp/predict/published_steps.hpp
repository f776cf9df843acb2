// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "miniapp/options/options.hpp"
#include "model/predict/step_time_fit.hpp"

namespace ddproxy {

/// A published share of a kind of kernel, and the share in the fitted time.
struct FittedShare {
  model::StepShare published;
  double fitted = 0;  ///< in [0, 1]
};

/// Published step times beside a roofline that is fitted on some of them (docs/predict.md).
struct PublishedComparison {
  std::filesystem::path file;        ///< the table of times
  std::filesystem::path share_file;  ///< the table of shares; empty: there is none
  std::string source;                ///< what is known about the measurements; empty: nothing
  std::vector<model::SeriesFit> series;
  std::vector<FittedShare> shares;
};

/// The mean and the largest |error| of the rows that the roofline was not fitted on.
struct ComparedError {
  std::size_t rows = 0;  ///< 0: there is no such row, and the errors mean nothing
  double mean = 0;
  double largest = 0;
  std::string worst;  ///< the case with the largest error
};
ComparedError compared_error(model::SeriesFit const& series);

/// Reads the times, fits the roofline and compares. `against` is "published", for the tables that come with
/// ddproxy, or the path of a table of times. The shares are read from FILE-shares.csv beside FILE.csv, if
/// there is such a file. The tables of "published" are looked for in inputs/published/ in the folders above
/// the program and in the working directory. Throws std::invalid_argument with one line for wrong input.
PublishedComparison published_comparison(std::string const& against);

/// Returns the comparison as text: a table for each series, and the shares.
std::string describe(PublishedComparison const& comparison);

/// Returns the comparison as JSON, with the keys that docs/predict.md lists.
std::string to_json(PublishedComparison const& comparison);

/// Runs `step --against`. Prints the comparison to `out`, and writes it to the file of --json if that is
/// given. Returns the exit code 0. Throws as published_comparison() does, and if --json would overwrite a
/// table.
int step_against(Options const& options, std::ostream& out);

}  // namespace ddproxy
