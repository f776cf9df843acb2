// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ddproxy::model {

/// Exposed communication E and its two parts, in seconds.
struct Exposed {
  double tail = 0;
  double slowdown = 0;
  double total() const { return tail + slowdown; }
};

/// One case of the strategy `bucketed` in a sweep, or one point of a measured curve T(b).
struct ScoredCase {
  double cap_mib;
  double measured_total;  ///< T: the backward pass with its all-reduces, seconds
  double noise;           ///< half-width of the 95 % interval of the median E, seconds; NaN: unknown
  Exposed measured;
  Exposed predicted;
  double uncontended;     ///< E predicted by the model without contention, seconds
  std::string name = {};  ///< name of the case in messages, for instance "bucketed/25"
};

/// Returns the value by which an error of E is divided to make it relative: the larger of E and 0.5 % of T,
/// in seconds. The noise is not part of this value, so more noise cannot make a wrong prediction look better.
double error_scale(ScoredCase const& scored);

/// Largest noise of E, relative to error_scale(), at which the error of E is scored.
inline constexpr double most_noise = 0.2;

/// Smallest number of caps for which a choice, and thus a regret, is meaningful.
inline constexpr std::size_t fewest_caps = 3;

/// Quality of one predictor of E. The errors are NaN if ScoreCard::unscored names a case.
struct Score {
  double mean_error = 0;    ///< mean of |predicted E - E| / error_scale()
  double max_error = 0;     ///< maximum of |predicted E - E| / error_scale()
  double beyond_noise = 0;  ///< mean of max(0, |predicted E - E| - noise) / error_scale()
  /// Share of ScoreCard::pairs that are ordered correctly. A pair with equal predictions counts one half. NaN
  /// if there are no pairs.
  double ordered = 0;
  /// Measured T of the cap with the smallest predicted E, divided by the smallest measured T, minus 1. If
  /// several caps have the smallest predicted E, the mean of their measured T is used. NaN with fewer than
  /// fewest_caps cases.
  double regret = 0;
};

/// The scores of a prediction and of its baselines.
struct ScoreCard {
  Score model;
  /// Best-constant baseline: predicts one E for all caps. This E is the constant with the lowest mean error,
  /// so it is known only after the measurement.
  Score constant;
  /// Baseline: for every cap it predicts the E that was measured at the cap nearest to 25 MiB. The regret of
  /// this baseline is the regret of choosing that cap.
  Score pytorch_default;
  Score uncontended;  ///< baseline: the model without contention
  /// The error of the model's tail: mean of |predicted tail - tail| / error_scale(); NaN if `unscored` names
  /// a case.
  double tail_error = 0;
  /// The error of the model's slowdown: mean of |predicted slowdown - slowdown| / error_scale(); NaN if
  /// `unscored` names a case.
  double slowdown_error = 0;
  /// Index of a case whose E is too uncertain to score; nothing if there is none. If the noise of a case is
  /// unknown: the first such case. Otherwise: the case with the largest noise / error_scale(), if this ratio
  /// is above most_noise.
  std::optional<std::size_t> unscored;
  std::size_t pairs = 0;  ///< number of pairs of cases whose E differ by more than twice the larger noise
  double measured_cap_mib = 0;   ///< the cap with the smallest measured T
  double predicted_cap_mib = 0;  ///< the cap with the smallest predicted E; the smallest cap of a tie
};

/// Scores predictions of E, not of T, because even a constant predicts T well if E is a small part of T.
/// Throws std::invalid_argument if there is no case.
ScoreCard score(std::span<const ScoredCase> cases);

}  // namespace ddproxy::model
