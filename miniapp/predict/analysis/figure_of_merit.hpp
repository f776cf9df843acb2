// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "results/file/validity.hpp"

namespace ddproxy {

/// The value of a number that is not available: NaN.
inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

/// The figure of merit. Each command that measures prints it as its last line, except `step`, which has a
/// figure of merit of its own (step_figures.hpp). The line has space-separated name=value fields. Its format
/// is stable, so that other programs can read it. A number that is not available is NaN.
///
/// "Best case" below is the measured case of the strategy `bucketed` with the smallest T.
struct FigureOfMerit {
  double tokens_per_s = not_available;  ///< ranks x tokens of a rank / T of the best case
  double backward_s = not_available;    ///< T of the best case, seconds
  double bucket_mib = not_available;    ///< cap of the best case, MiB
  double exposed_s = not_available;     ///< E of the best case, seconds
  double tail_s = not_available;        ///< part of E after the backward pass, in the best case, seconds
  double overlap = not_available;       ///< overlap of the best case (docs/glossary.md)
  double bus_bw_GBps = not_available;   ///< bus bandwidth of the all-reduce at the largest size, GB/s
  double model_error =
      not_available;  ///< mean of |predicted E - E| / max(E, 0.5 % of T) over the bucketed cases
  /// Measured T of the cap with the smallest predicted E, divided by the smallest measured T of all caps,
  /// minus 1. If several caps share the smallest predicted E, their mean T is used.
  double regret = not_available;
  double model_error_beyond_noise =
      not_available;  ///< mean of max(0, |predicted E - E| - noise) / max(E, 0.5 % of T)
  /// The reasons why model_error and regret are NaN; empty if they are available. They are not in the line.
  std::string why_no_error, why_no_regret;
  results::Validity valid = results::Validity::no;  ///< how far the figures can be trusted
};

/// Returns all numbers with their names, as in the group /fom of a results file and in JSON.
std::vector<std::pair<char const*, double>> numbers_of(FigureOfMerit const& figures);

/// Returns the line "DDPROXY_FOM tokens_per_s=... backward_s=..." without a newline.
std::string to_line(FigureOfMerit const& figures);

}  // namespace ddproxy
