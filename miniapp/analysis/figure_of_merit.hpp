// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "results/file/validity.hpp"

namespace ddproxy {

inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

/// The last line of every run: one name=value a field, stable for other programs. NaN: not available.
struct FigureOfMerit {
  double tokens_per_s = not_available;  ///< ranks x tokens of a rank / T of the best measured bucketed case
  double backward_s = not_available;    ///< that T
  double bucket_mib = not_available;    ///< its cap
  double exposed_s = not_available;     ///< its E
  double tail_s = not_available;        ///< its tail
  double overlap = not_available;       ///< its overlap
  double bus_bw_GBps = not_available;   ///< of the all-reduce at the largest size
  double model_error =
      not_available;              ///< mean of |predicted E - E| / max(E, 0.5 % of T) over the bucketed cases
  double regret = not_available;  ///< of the cap with the least predicted E; the mean of a tie
  double model_error_beyond_noise =
      not_available;                        ///< what is left of model_error after E's noise; not in the line
  std::string why_no_error, why_no_regret;  ///< reasons where they are NaN; not in the line
  results::Validity valid = results::Validity::no;  ///< what the figures are worth
};

/// All numbers by name: as attributes of /fom and in JSON.
std::vector<std::pair<char const*, double>> numbers_of(FigureOfMerit const& figures);

std::string to_line(FigureOfMerit const& figures);

}  // namespace ddproxy
