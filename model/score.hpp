// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ddproxy::model {

/// Exposed communication and its two parts, seconds.
struct Exposed {
  double tail = 0;
  double slowdown = 0;
  double total() const { return tail + slowdown; }
};

/// One bucketed case of a sweep.
struct ScoredCase {
  double cap_mib;
  double measured_total;  ///< T, seconds
  double noise;           ///< half-width of the 95 % interval of the median E, seconds; NaN: not known, nor are errors
  Exposed measured;
  Exposed predicted;
  double last_bucket;  ///< a(size of the last bucket), seconds
};

/// How good one predictor of E is.
struct Score {
  double mean_error = 0;  ///< of |predicted E - E| / max(E, noise)
  double max_error = 0;
  double ordered =
      0;  ///< share of the pairs put into their order, a tie counting one half; NaN where there is no pair
  double regret = 0;  ///< measured T of the cap with the least predicted E over the least measured T, - 1;
                      ///< the mean of a tie
};

/// A prediction beside its baselines.
struct ScoreCard {
  Score model;
  Score constant;         ///< baseline: the constant with the least mean error, known only afterwards
  Score pytorch_default;  ///< baseline: E measured at the cap nearest to 25 MiB, everywhere; that cap is its
                          ///< choice
  Score last_bucket;      ///< baseline: E = a(last bucket)
  double tail_error = 0;  ///< of the model: mean of |predicted tail - tail| / max(E, noise)
  double slowdown_error = 0;     ///< the same for the slowdown
  std::size_t pairs = 0;         ///< of cases whose E differ by more than twice the larger noise
  double measured_cap_mib = 0;   ///< with the least measured T
  double predicted_cap_mib = 0;  ///< with the least predicted E, the smallest of a tie
};

/// Scores E, not T: a constant would do well on T. Throws std::invalid_argument where there is no case.
ScoreCard score(std::span<const ScoredCase> cases);

}  // namespace ddproxy::model
