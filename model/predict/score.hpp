// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
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
  double noise;           ///< half-width of the 95 % interval of the median E, seconds; NaN: not known
  Exposed measured;
  Exposed predicted;
  double uncontended;  ///< E that the model predicts without contention, seconds
};

/// What an error of E is divided by: the larger of E and half a percent of T, seconds. The noise is no part
/// of it, so more noise cannot make a wrong prediction look better.
double error_scale(ScoredCase const& scored);

/// The most noise that E may have for its error to be scored, a share of error_scale().
inline constexpr double most_noise = 0.2;

/// The fewest caps among which a choice, and so a regret, means anything.
inline constexpr std::size_t fewest_caps = 3;

/// How good one predictor of E is. The errors are NaN where ScoreCard::unscored names a case.
struct Score {
  double mean_error = 0;    ///< of |predicted E - E| / error_scale()
  double max_error = 0;     ///< the largest of them
  double beyond_noise = 0;  ///< mean of what is left of |predicted E - E| after the noise, / error_scale()
  double ordered =
      0;  ///< share of the pairs put into their order, a tie counting one half; NaN where there is no pair
  double regret = 0;  ///< measured T of the cap with the least predicted E over the least measured T, - 1;
                      ///< the mean of a tie; NaN with fewer than fewest_caps
};

/// A prediction beside its baselines.
struct ScoreCard {
  Score model;
  Score constant;         ///< baseline: the constant with the least mean error, known only afterwards
  Score pytorch_default;  ///< baseline: E measured at the cap nearest to 25 MiB, everywhere; that cap is its
                          ///< choice
  Score uncontended;      ///< baseline: the model without contention
  double tail_error =
      0;  ///< of the model: mean of |predicted tail - tail| / error_scale(); NaN as mean_error
  double slowdown_error = 0;            ///< the same for the slowdown
  std::optional<std::size_t> unscored;  ///< the case with the most noise over error_scale(), where that is
                                        ///< above most_noise or not known: E is not known well enough
  std::size_t pairs = 0;                ///< of cases whose E differ by more than twice the larger noise
  double measured_cap_mib = 0;          ///< with the least measured T
  double predicted_cap_mib = 0;         ///< with the least predicted E, the smallest of a tie
};

/// Scores E, not T: a constant would do well on T. Throws std::invalid_argument where there is no case.
ScoreCard score(std::span<const ScoredCase> cases);

}  // namespace ddproxy::model
