// SPDX-FileCopyrightText: 2026 the ddproxy authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "miniapp/analysis/figure_of_merit.hpp"
#include "miniapp/input/cases.hpp"
#include "model/predict/score.hpp"
#include "model/statistics/estimate.hpp"

namespace ddproxy {

/// One sample of one case. All times are in seconds.
struct Sample {
  std::vector<double> total;         ///< [rank] step time T
  std::vector<double> backward_end;  ///< [rank] end of the backward pass with communication
  std::vector<double> compute;       ///< [rank] T_compute: the backward pass without communication
  std::vector<double> arrival;       ///< [rank] delay behind the first rank at the starting barrier
  /// [bucket] The time of each bucket's all-reduce alone, measured right after the pass: the maximum over
  /// ranks. Empty if nothing is reduced, or if a table gives the times.
  std::vector<double> buckets_alone = {};
  double probe_before = not_available;          ///< probe of the machine's state before T (machine_state.hpp)
  double probe_after = not_available;           ///< probe after T
  double compute_probe_before = not_available;  ///< probe before T_compute
  double compute_probe_after = not_available;   ///< probe after T_compute
  /// Returns the sum of buckets_alone, which is T_comm of this sample. Returns NaN if buckets_alone is empty.
  double communication_alone() const;
};

/// The results of a case, in seconds. The value of a sample is the maximum over its ranks.
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
  /// (T_compute + T_comm - T) / min(T_compute, T_comm). T_comm is communication_alone of each sample if it
  /// was measured, else `communication`. Absent if the divisor is not larger than the noise of T.
  std::optional<model::Estimate> overlap;
};

/// Returns the results of a case. `communication`: T_comm of its plan from the table of a(x), seconds; NaN if
/// unknown. Throws std::invalid_argument if there is no sample.
CaseResult analyse(std::vector<Sample> const& samples, double communication);

/// T and E that the model predicts for each sample from measurements of the same round: its T_compute, and
/// the times of its all-reduces without compute. Medians over the samples, in seconds; NaN if not available.
///
/// This prediction splits the error of the prediction that was made before the sweep. The difference between
/// the two predictions comes from the drift of the machine. The rest of the error comes from the model.
struct RoundPrediction {
  double total = not_available;
  double exposed = not_available;
};

/// A case of the sweep with its measured and its predicted results.
struct CaseReport {
  Case item;
  std::optional<CaseResult> measured;
  model::Timeline predicted;
  double predicted_compute = 0;
  RoundPrediction same_round = {};
  double uncontended = not_available;  ///< E predicted by the model without contention, seconds
  double predicted_exposed() const { return predicted.total - predicted_compute; }
};

/// Returns the measured bucketed case with the smallest T, or nullptr if there is none.
CaseReport const* best_bucketed(std::vector<CaseReport> const& reports);

/// Returns the measured bucketed cases in the form that model::score() takes. E is the median of the paired
/// differences T - T_compute. The tail is the median of the samples' tails, and the slowdown is E minus this
/// tail.
std::vector<model::ScoredCase> scored_cases(std::vector<CaseReport> const& reports);

/// Returns the figure of merit except bus_bw_GBps and valid. `tokens`: tokens of one rank in one step.
FigureOfMerit judge(std::vector<CaseReport> const& reports, int ranks, std::int64_t tokens);

/// Copies the errors and the regret of the model from `card` into the figure of merit, with the reasons why a
/// value is not available.
void take_score(FigureOfMerit& figures, std::span<const model::ScoredCase> cases,
                model::ScoreCard const& card);

/// Returns a line that says which limit a score exceeds, for messages. Returns an empty string if no limit is
/// set or all are kept. A score that is not available exceeds its limit.
std::string beyond_limits(FigureOfMerit const& figures, std::optional<double> max_model_error,
                          std::optional<double> max_regret);

}  // namespace ddproxy
