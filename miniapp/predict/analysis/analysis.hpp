// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "miniapp/input/cases.hpp"
#include "miniapp/predict/analysis/figure_of_merit.hpp"
#include "model/predict/score.hpp"
#include "model/statistics/estimate.hpp"

namespace ddproxy {

/// One sample of one case (docs/glossary.md). All times are in seconds.
struct Sample {
  std::vector<double> total;         ///< [rank] T: the backward pass with its all-reduces
  std::vector<double> backward_end;  ///< [rank] end of the backward pass with communication
  std::vector<double> compute;       ///< [rank] T_compute: the backward pass without communication
  std::vector<double> arrival;       ///< [rank] delay of its arrival at the starting barrier, after the first
  /// [bucket] Times of the all-reduces of all buckets, one after another, measured without compute right
  /// after the pass. They are the times of rank 0, scaled so that their sum is the time of the slowest rank.
  /// Empty if nothing is reduced, if a table gives the times, or if the sweep takes turns with another
  /// program.
  std::vector<double> buckets_alone = {};
  double probe_before = not_available;          ///< probe before T (model/predict/machine_state.hpp)
  double probe_after = not_available;           ///< probe after T
  double compute_probe_before = not_available;  ///< probe before T_compute
  double compute_probe_after = not_available;   ///< probe after T_compute
  std::size_t round = 0;                        ///< number of its round in this run, from 0
  /// Returns T_comm of this sample: the sum of buckets_alone. Returns NaN if buckets_alone is empty.
  double communication_alone() const;
};

/// The results of a case, in seconds. T, T_compute and the end of the backward pass of a sample are maxima
/// over its ranks.
struct CaseResult {
  std::size_t samples = 0;
  model::Estimate total;     ///< T
  model::Estimate exposed;   ///< E = T - T_compute, both of the same sample
  double compute = 0;        ///< median of T_compute
  double slowdown = 0;       ///< median of (end of the backward pass with communication - T_compute)
  double tail = 0;           ///< median of (T - end of the backward pass with communication)
  double skew = 0;           ///< median of (latest - earliest end of the backward pass among the ranks)
  int slowest_rank = 0;      ///< the rank whose backward pass ended last in most samples
  double communication = 0;  ///< T_comm of the case's plan, from the table of a(x)
  /// Median of the T_comm measured right after each sample. NaN if a sample has none.
  double communication_alone = not_available;
  /// (T_compute + T_comm - T) / min(T_compute, T_comm). T_comm is Sample::communication_alone() if it was
  /// measured, otherwise `communication`. Absent if the divisor is not larger than the noise of T, or if
  /// T_comm is not known.
  std::optional<model::Estimate> overlap;
  std::vector<double> totals = {};  ///< [round] T of each sample; NaN if the sample does not count
};

/// Returns the results of a case. `communication` is T_comm of the case's plan from the table of a(x), in
/// seconds; NaN if unknown. Throws std::invalid_argument if there is no sample.
CaseResult analyse(std::vector<Sample> const& samples, double communication);

/// A prediction of T and E from measurements of the same round (docs/glossary.md). For each sample the model
/// uses the sample's own T_compute and the times of its all-reduces without compute. The members are medians
/// over the samples, in seconds; NaN if not available.
///
/// Purpose: the prediction that was made before the sweep has an error with two causes. Drift of the machine
/// causes the difference between that prediction and this one. The model causes the rest of the error.
struct RoundPrediction {
  double total = not_available;
  double exposed = not_available;
};

/// A case of the sweep with its measured and its predicted results.
struct CaseReport {
  Case item;
  std::optional<CaseResult> measured;
  model::Timeline predicted;
  double predicted_compute = 0;  ///< predicted T_compute, seconds
  RoundPrediction same_round = {};
  double uncontended = not_available;  ///< E predicted by the model without contention, seconds
  double predicted_exposed() const { return predicted.total - predicted_compute; }
};

/// Returns the measured case of the strategy `bucketed` with the smallest T, or nullptr if there is none.
CaseReport const* best_bucketed(std::vector<CaseReport> const& reports);

/// Returns T of `report` divided by T of `other`: the median over the rounds with its 95 % interval. Both T
/// of a ratio are of the same round. Returns NaN if the cases have no round in common. If they have only one,
/// the bounds are NaN. Both cases must be measured.
model::Estimate ratio_by_round(CaseReport const& report, CaseReport const& other);

/// Returns the measured cases of the strategy `bucketed` in the form that model::score()
/// (model/predict/score.hpp) takes. E is the median of T - T_compute over the samples. The tail is the median
/// of the tails of the samples, and the slowdown is E minus this tail.
std::vector<model::ScoredCase> scored_cases(std::vector<CaseReport> const& reports);

/// Returns the figure of merit. The caller assigns its members bus_bw_GBps and valid. `tokens` is the number
/// of tokens of one rank in one step. All numbers are NaN if no bucketed case was measured.
FigureOfMerit judge(std::vector<CaseReport> const& reports, int ranks, std::int64_t tokens);

/// Copies the errors and the regret of the model from `card` into the figure of merit. If a value is not
/// available, also writes the reason there.
void take_score(FigureOfMerit& figures, std::span<const model::ScoredCase> cases,
                model::ScoreCard const& card);

/// Returns one line for messages that names the first limit that the model error or the regret exceeds.
/// Returns an empty string if no limit is set or none is exceeded. A value that is not available exceeds its
/// limit.
std::string beyond_limits(FigureOfMerit const& figures, std::optional<double> max_model_error,
                          std::optional<double> max_regret);

}  // namespace ddproxy
